/** Positions of values on a chart, and the paths that connect them. */

export interface Point {
  x: number
  y: number
}

export type Scale = (value: number) => number

/** Returns a linear scale; an empty domain maps to the start of the range. */
export function linear(domain: [number, number], range: [number, number]): Scale {
  const width = domain[1] - domain[0]
  const reach = range[1] - range[0]
  return (value) => (width === 0 ? range[0] : range[0] + ((value - domain[0]) / width) * reach)
}

/** Returns round steps from 0 that reach at least `most`, about `wanted` of them. */
export function ticks(most: number, wanted = 3): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0, 1]
  const rough = most / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((nice) => nice * power >= rough) ?? 10)
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, number) => Number((number * step).toPrecision(12)))
}

/** The same for counts: steps are at least one. */
export function countTicks(most: number, wanted = 3): number[] {
  if (most <= wanted) return Array.from({ length: Math.max(1, most) + 1 }, (_, number) => number)
  return ticks(most, wanted)
}

const spot = (value: number): string => String(Number(value.toFixed(2)))

/** Returns a line through all points. */
export function line(points: readonly Point[]): string {
  return points.map((at, number) => `${number ? 'L' : 'M'}${spot(at.x)},${spot(at.y)}`).join('')
}

/** Returns the area between the points and a base line. */
export function area(points: readonly Point[], base: number): string {
  const first = points[0]
  const last = points[points.length - 1]
  if (!first || !last) return ''
  return `${line(points)}L${spot(last.x)},${spot(base)}L${spot(first.x)},${spot(base)}Z`
}

/** Returns the points of a step chart: every value is valid until the next one, the last until `end`. */
export function stairs(points: readonly Point[], end: number): Point[] {
  const steps: Point[] = []
  points.forEach((at, number) => {
    const next = points[number + 1]
    steps.push(at, { x: next ? next.x : Math.max(end, at.x), y: at.y })
  })
  return steps
}

/** Returns the index of the sorted place nearest to a position. */
export function nearest(places: readonly number[], x: number): number {
  let best = 0
  places.forEach((place, number) => {
    if (Math.abs(place - x) < Math.abs((places[best] ?? 0) - x)) best = number
  })
  return best
}

/** Returns cumulative sums. */
export function cumulative(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => (sum += value))
}
