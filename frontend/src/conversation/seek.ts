// Looking for a row that may be far outside of what is shown.

import type { Row } from '../api/types'
import { PAGE, type Pages } from './pages'
import { partOf } from './words'

const FARTHEST = 40 * PAGE

/** The next row, this way, that is meant; -1 if there is none near. */
export async function nextWhere(pages: Pages, from: number, step: 1 | -1, meant: (row: Row) => boolean): Promise<number> {
  for (let index = from + step, far = 0; index >= 0 && index < pages.total && far < FARTHEST; index += step, far++) {
    const row = pages.row(index) ?? (await pages.load(index))
    if (row && meant(row)) return index
  }
  return -1
}

/** What somebody asked: the rows that `J` and `K` go to. */
export function isPrompt(row: Row): boolean {
  return row.kind === 'message' && partOf(row.role) === 'user' && row.blocks.some((block) => block.kind !== 'result')
}

/** Where the row with this number of the branch stands in a filtered list; -1 if the filter leaves it out. */
export async function indexOfNumber(pages: Pages, number: number): Promise<number> {
  const index = await nearestTo(pages, number)
  return (await pages.load(index))?.number === number ? index : -1
}

/** The place of the first row that is not before this number; the last if all are. */
export async function nearestTo(pages: Pages, number: number): Promise<number> {
  let low = 0
  let high = pages.total - 1
  while (low < high) {
    const middle = (low + high) >> 1
    const row = await pages.load(middle)
    if (!row) break
    if (row.number < number) low = middle + 1
    else high = middle
  }
  return low
}
