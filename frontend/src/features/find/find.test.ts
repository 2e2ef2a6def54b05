import { describe, expect, it } from 'vitest'
import { find, type Finding, type Look } from './finder'
import { rangesOf } from './highlight'
import { hitAfter, hitWords } from './hits'

describe('rangesOf', () => {
  it('finds every place, letter case aside, and leaves the elements alone', () => {
    const box = document.createElement('div')
    const bold = document.createElement('b')
    bold.textContent = 'Tree of trees'
    box.append('a TREE ', bold)
    const before = box.outerHTML
    expect(rangesOf(box, 'tree').map(String)).toEqual(['TREE', 'Tree', 'tree'])
    expect(box.outerHTML).toBe(before)
    expect(rangesOf(box, '')).toEqual([])
    expect(rangesOf(box, 'e', 2)).toHaveLength(2)
  })
})

describe('hits', () => {
  it('goes around', () => {
    expect(hitAfter([3, 8, 20], 2, 1)).toBe(0)
    expect(hitAfter([3, 8, 20], 0, -1)).toBe(2)
    expect(hitAfter([3, 8, 20], -1, -1)).toBe(2)
    expect(hitAfter([], 0, 1)).toBe(0)
    expect(hitWords(0, 3, true)).toBe('1 of 3')
    expect(hitWords(0, 1000, false)).toBe('1 of 1,000+')
    expect(hitWords(0, 0, true)).toBe('Nothing found')
    expect(hitWords(-1, 0, false)).toBe('…')
  })
})

describe('find', () => {
  /** A branch of 100 rows; each answer covers ten. */
  const look =
    (hits: number[]): Look =>
    (from) => {
      const next = Math.min(100, from + 10)
      const numbers = hits.filter((hit) => hit >= from && hit < next)
      return Promise.resolve({ total: numbers.length, numbers, complete: next === 100, next })
    }

  it('tells the nearest first and ends with all, in order, none twice', async () => {
    const hits = [2, 5, 33, 47, 48, 90]
    for (const start of [0, 5, 40, 47, 99]) {
      const told: Finding[] = []
      await find(look(hits), start, (finding) => told.push(finding), new AbortController().signal)
      expect(told.at(-1)).toEqual({ numbers: hits, complete: true, around: true })
      for (const finding of told) expect(finding.numbers).toEqual(finding.numbers.toSorted((a, b) => a - b))
      const nearest = hits.find((hit) => hit >= start)
      if (nearest !== undefined) expect(told.find((finding) => finding.numbers.length)?.numbers[0]).toBe(nearest)
    }
  })

  it('stops when nobody waits', async () => {
    const control = new AbortController()
    let asked = 0
    await find(
      (from) => {
        asked++
        control.abort()
        return look([])(from)
      },
      0,
      () => undefined,
      control.signal,
    )
    expect(asked).toBe(1)
  })
})
