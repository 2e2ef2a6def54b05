// Searches for a row that may be far outside of the view.

import type { Row } from '../../data/api/types'
import { PAGE, type Pages } from './pages'
import { partOfSpeaker } from '../../lib/words'

const FARTHEST = 40 * PAGE

/** Returns the next matching row in this direction; -1 if there is none near. */
export async function nextWhere(
  pages: Pages,
  from: number,
  step: 1 | -1,
  meant: (row: Row) => boolean,
): Promise<number> {
  for (let index = from + step, far = 0; index >= 0 && index < pages.total && far < FARTHEST; index += step, far++) {
    const row = pages.row(index) ?? (await pages.load(index))
    if (row && meant(row)) return index
  }
  return -1
}

/** Whether a row is a prompt of the user: `J` and `K` go to these. */
export function isPrompt(row: Row): boolean {
  return row.kind === 'message' && partOfSpeaker(row) === 'user' && row.blocks.some((block) => block.kind !== 'result')
}

/** Returns the place of the row with this number of the branch in a filtered list; -1 if it is hidden. */
export async function indexOfNumber(pages: Pages, number: number): Promise<number> {
  const index = await nearestTo(pages, number)
  return (await pages.load(index))?.number === number ? index : -1
}

/**
 * Returns the place of the first row that is not before this number; the last row if all are. Rows are distributed
 * rather evenly, so the place is interpolated, and few pages have to be loaded.
 */
export async function nearestTo(pages: Pages, number: number): Promise<number> {
  let low = 0
  let high = pages.total - 1
  let [lowNumber, highNumber] = [-1, Math.max(number, high) + 1]
  for (let turn = 0; low < high; turn++) {
    const share = (number - lowNumber) / Math.max(1, highNumber - lowNumber)
    // Sometimes halves the range, so that it ends soon for any distribution.
    const guess = low + Math.floor((high - low) * (turn % 3 === 2 ? 0.5 : Math.min(1, Math.max(0, share))))
    const page = Math.floor(guess / PAGE) * PAGE
    const [first, last] = [Math.max(low, page), Math.min(high, page + PAGE - 1)]
    const rows = await Promise.all([pages.load(first), pages.load(last)])
    if (!rows[0] || !rows[1]) break
    if (rows[1].number < number) [low, lowNumber] = [last + 1, rows[1].number]
    else if (rows[0].number >= number) [high, highNumber] = [first, rows[0].number]
    else return within(pages, first, last, number)
  }
  return Math.min(low, Math.max(0, pages.total - 1))
}

function within(pages: Pages, first: number, last: number, number: number): number {
  for (let index = first; index <= last; index++) {
    if ((pages.row(index)?.number ?? -1) >= number) return index
  }
  return last
}
