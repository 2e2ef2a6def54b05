import { describe, expect, it } from 'vitest'
import { area, countTicks, cumulative, line, linear, nearest, stairs, ticks } from './scales'

describe('scales', () => {
  it('maps the ends of the domain to the ends of the range', () => {
    const scale = linear([10, 20], [100, 0])
    expect([scale(10), scale(15), scale(20)]).toEqual([100, 50, 0])
    expect(linear([3, 3], [7, 9])(3)).toBe(7)
  })

  it('makes round ticks that begin at 0 and reach the most', () => {
    for (const most of [0.03, 0.7, 1, 3, 7, 12, 99, 100, 101, 12_345, 987_654_321]) {
      const marks = ticks(most)
      expect(marks[0]).toBe(0)
      expect(marks.at(-1)).toBeGreaterThanOrEqual(most)
      expect(marks.length).toBeLessThanOrEqual(5)
      expect(new Set(marks).size).toBe(marks.length)
    }
    expect(ticks(0)).toEqual([0, 1])
    expect(ticks(Number.NaN)).toEqual([0, 1])
  })

  it('counts things in whole steps', () => {
    expect(countTicks(0)).toEqual([0, 1])
    expect(countTicks(2)).toEqual([0, 1, 2])
    expect(countTicks(7).every(Number.isInteger)).toBe(true)
  })

  it('draws lines, surfaces and stairs', () => {
    const points = [
      { x: 0, y: 5 },
      { x: 10, y: 2 },
    ]
    expect(line(points)).toBe('M0,5L10,2')
    expect(area(points, 9)).toBe('M0,5L10,2L10,9L0,9Z')
    expect(area([], 9)).toBe('')
    expect(stairs(points, 20)).toEqual([
      { x: 0, y: 5 },
      { x: 10, y: 5 },
      { x: 10, y: 2 },
      { x: 20, y: 2 },
    ])
  })

  it('finds the nearest place and sums up', () => {
    expect(nearest([0, 0.5, 1], 0.6)).toBe(1)
    expect(nearest([0, 0.5, 1], 9)).toBe(2)
    expect(cumulative([1, 2, 3])).toEqual([1, 3, 6])
  })
})
