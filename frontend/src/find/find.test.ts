import { describe, expect, it } from 'vitest'
import { rangesOf } from './highlight'
import { hitAfter, hitFrom, hitWords } from './hits'

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
    expect(hitFrom([3, 8, 20], 9)).toBe(2)
    expect(hitFrom([3, 8, 20], 21)).toBe(0)
    expect(hitAfter([3, 8, 20], 2, 1)).toBe(0)
    expect(hitAfter([3, 8, 20], 0, -1)).toBe(2)
    expect(hitAfter([], 0, 1)).toBe(0)
    expect(hitWords(0, 3, 3, true)).toBe('1 of 3')
    expect(hitWords(0, 1000, 1000, false)).toBe('1 of 1,000+')
    expect(hitWords(0, 0, 0, true)).toBe('Nothing found')
  })
})
