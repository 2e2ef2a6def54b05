import { describe, expect, it } from 'vitest'
import { aim, rowOf, taken } from './aim'

describe('aim', () => {
  it('stays inside the list and counts once', () => {
    expect(rowOf(null, 10)).toBe(9)
    expect(rowOf({ kind: 'fromEnd', rows: 30 }, 10)).toBe(0)
    expect(rowOf({ kind: 'row', index: 30 }, 10)).toBe(9)
    aim({ kind: 'end' })
    expect(taken()).toEqual({ kind: 'end' })
    expect(taken()).toBeNull()
  })
})
