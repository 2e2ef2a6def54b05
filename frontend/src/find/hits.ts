// Which of the rows that were found is pointed at.

/** The place in the sorted numbers of the first hit at or after this row; around to the first. */
export function hitFrom(numbers: readonly number[], row: number): number {
  const at = numbers.findIndex((number) => number >= row)
  return at < 0 ? 0 : at
}

/** The next hit this way, around at the ends. */
export function hitAfter(numbers: readonly number[], at: number, step: 1 | -1): number {
  return numbers.length ? (at + step + numbers.length) % numbers.length : 0
}

/** "3 of 12", with a plus where not all is known. */
export function hitWords(at: number, shown: number, total: number, complete: boolean): string {
  if (!total) return 'Nothing found'
  return `${Math.min(at + 1, shown).toLocaleString('en')} of ${total.toLocaleString('en')}${complete ? '' : '+'}`
}
