// Which of the found rows is selected.

/** Returns the next hit in this direction, wrapping around. */
export function hitAfter(numbers: readonly number[], at: number, step: 1 | -1): number {
  if (!numbers.length) return 0
  return at < 0 ? (step > 0 ? 0 : numbers.length - 1) : (at + step + numbers.length) % numbers.length
}

/** "3 of 12", with a plus while the search is incomplete. */
export function hitWords(at: number, found: number, complete: boolean): string {
  if (!found) return complete ? 'Nothing found' : '…'
  const place = at < 0 ? '' : `${(at + 1).toLocaleString('en')} of `
  return `${place}${found.toLocaleString('en')}${complete ? '' : '+'}`
}
