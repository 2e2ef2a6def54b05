/** From change to change in a diff. */

/** Whether a line of a diff came or went. */
export type IsChange = (line: Element) => boolean

/** The first line of every run of changed lines. */
export function changeStarts(lines: Iterable<Element>, isChange: IsChange): Element[] {
  const starts: Element[] = []
  let inside = false
  for (const line of lines) {
    const change = isChange(line)
    if (change && !inside) starts.push(line)
    inside = change
  }
  return starts
}

/** The number after this one, going round at the ends. */
export function around(at: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1
  if (at < 0) return by > 0 ? 0 : count - 1
  return (at + by + count) % count
}

const LINE = 'tr, .tt-diff-line'
const CHANGED = '.tt-added, .tt-removed, .tt-diff-added, .tt-diff-removed'

/** Scroll to the next or previous change; gives its number. */
export function stepTo(box: Element | null, at: number, by: 1 | -1): number {
  if (!box) return -1
  const isChange: IsChange = (line) => line.matches(CHANGED) || line.querySelector(CHANGED) !== null
  const starts = changeStarts(box.querySelectorAll(LINE), isChange)
  const next = around(at, by, starts.length)
  starts[next]?.scrollIntoView({ block: 'center' })
  box.querySelector('[data-here]')?.removeAttribute('data-here')
  starts[next]?.setAttribute('data-here', '')
  return next
}
