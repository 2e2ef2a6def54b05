import { describe, expect, it } from 'vitest'
import { rushed, type Rush } from './hurry'

const still: Rush = { offset: 0, time: 0, until: 0 }
const rushes = (rush: Rush) => rush.until > rush.time

describe('a rush', () => {
  it('is a matter of pixels a millisecond, not of a jump after a rest', () => {
    expect(rushes(rushed(still, { offset: 100, time: 16 }))).toBe(false)
    expect(rushes(rushed(still, { offset: 800, time: 16 }))).toBe(true)
    expect(rushes(rushed({ ...still, offset: 800 }, { offset: 0, time: 16 }))).toBe(true)
    expect(rushes(rushed(still, { offset: 1e6, time: 500 }))).toBe(false)
  })

  it('goes on through a slow frame, and ends when the list slows down', () => {
    const fast = rushed(still, { offset: 800, time: 16 })
    const late = rushed(fast, { offset: 1600, time: 130 })
    expect(rushes(late)).toBe(true)
    expect(rushes(rushed(late, { offset: 1630, time: 146 }))).toBe(false)
  })

  it('ends by itself when nothing moves', () => {
    const fast = rushed(still, { offset: 800, time: 16 })
    const rest = rushed(fast, { offset: 800, time: 400 })
    expect(rest).toBe(fast)
    expect(rest.until).toBeLessThan(400)
  })
})
