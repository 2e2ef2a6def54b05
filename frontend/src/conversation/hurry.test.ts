import { describe, expect, it } from 'vitest'
import { tooFast } from './hurry'

describe('tooFast', () => {
  it('is a matter of pixels a millisecond, not of a jump after a rest', () => {
    expect(tooFast({ offset: 0, time: 0 }, { offset: 100, time: 16 })).toBe(false)
    expect(tooFast({ offset: 0, time: 0 }, { offset: 800, time: 16 })).toBe(true)
    expect(tooFast({ offset: 800, time: 0 }, { offset: 0, time: 16 })).toBe(true)
    expect(tooFast({ offset: 0, time: 0 }, { offset: 1e6, time: 500 })).toBe(false)
  })
})
