/** Steps through the changes of a diff, which the renderer marks. */

/** The first line of every run of changes. */
const START = '.tt-hunk'
const HERE = 'data-here'

/** Returns the next or previous number, wrapping around. */
export function around(at: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1
  if (at < 0) return by > 0 ? 0 : count - 1
  return (at + by + count) % count
}

/** Scrolls to the next or previous change; returns its number. */
export function stepTo(box: Element | null, at: number, by: 1 | -1): number {
  if (!box) return -1
  const starts = box.querySelectorAll(START)
  const next = around(at, by, starts.length)
  box.querySelector(`[${HERE}]`)?.removeAttribute(HERE)
  starts[next]?.setAttribute(HERE, '')
  starts[next]?.scrollIntoView({ block: 'center' })
  return next
}

/** Opens or closes all unchanged parts. */
export function unfold(box: Element | null, open: boolean): void {
  box?.querySelectorAll('details').forEach((fold) => (fold.open = open))
}
