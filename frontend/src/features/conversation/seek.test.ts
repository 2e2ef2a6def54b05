import { afterEach, describe, expect, it, vi } from 'vitest'
import { queries } from '../../data/api/cache'
import type { Row } from '../../data/api/types'
import { Pages } from './pages'
import { makeBlock, makeRow, serveRows } from './testRows'
import { indexOfNumber, isPrompt, nearestTo, nextWhere } from './seek'

const row = (number: number, role: string): Row =>
  makeRow({ number, role, speaker: '', blocks: [makeBlock({ open: true })] })

function listed(rows: Row[]): Pages & { asked: number[] } {
  const { asked } = serveRows(
    (from, limit) => rows.slice(from, from + limit),
    () => rows.length,
    () => 's',
  )
  return Object.assign(new Pages({ cid: '1', leaf: null, show: '' }, rows.length, 's'), { asked })
}

afterEach(() => {
  queries.clear()
  vi.unstubAllGlobals()
})

describe('seek', () => {
  it('goes to the next prompt beyond the page', async () => {
    const pages = listed(Array.from({ length: 300 }, (_, i) => row(i, i % 120 ? 'assistant' : 'user')))
    expect(await nextWhere(pages, 0, 1, isPrompt)).toBe(120)
    expect(await nextWhere(pages, 239, -1, isPrompt)).toBe(120)
    expect(await nextWhere(pages, 240, 1, isPrompt)).toBe(-1)
  })

  it('finds the place of a number in a filtered list', async () => {
    const rows = Array.from({ length: 400 }, (_, i) => row(i * 3, 'user'))
    const pages = listed(rows)
    for (const index of [0, 1, 57, 399]) expect(await indexOfNumber(pages, index * 3)).toBe(index)
    expect(await indexOfNumber(pages, 4)).toBe(-1)
    expect(await nearestTo(pages, 4)).toBe(2)
    expect(await nearestTo(pages, 9999)).toBe(399)
  })

  it('is the same as looking at all of them, however they are spread, and asks for few pages', async () => {
    const numbers = [
      ...Array.from({ length: 300 }, (_, i) => i),
      ...Array.from({ length: 3000 }, (_, i) => 5000 + i * i),
    ]
    let asked = 0
    const rows = numbers.map((number) => row(number, 'user'))
    for (const number of [0, 150, 299, 300, 4000, 5001, 5000 + 1500 ** 2, numbers.at(-1) as number]) {
      queries.clear()
      const pages = listed(rows)
      expect(await nearestTo(pages, number)).toBe(numbers.findIndex((each) => each >= number))
      asked += pages.asked.length
    }
    expect(asked).toBeLessThan(8 * 12)
  })
})
