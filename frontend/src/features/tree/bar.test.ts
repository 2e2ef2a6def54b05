import { describe, expect, it } from 'vitest'
import { barLength, stretches } from './bar'

describe('bar', () => {
  it('joins neighbours of one role and fills the whole bar', () => {
    const found = stretches('uaaTTz')
    expect(found.map((s) => [s.role, s.hollow])).toEqual([
      ['user', false],
      ['agent', false],
      ['tool', true],
      ['other', false],
    ])
    expect(found.reduce((sum, s) => sum + s.size, 0)).toBeCloseTo(1)
    expect(stretches('')).toEqual([])
  })

  it('grows with the messages and stays in its bounds', () => {
    const lengths = [0, 1, 2, 10, 100, 1e5].map((n) => barLength(n))
    expect(lengths.toSorted((a, b) => a - b)).toEqual(lengths)
    expect(lengths.at(-1)).toBe(96)
  })
})
