import { describe, expect, it } from 'vitest'
import { aim, rowOf, taken } from './aim'
import { OpenConversation } from './OpenConversation'

describe('aim', () => {
  it('stays inside the list and counts once', () => {
    expect(rowOf(null, 10)).toBe(9)
    expect(rowOf({ kind: 'fromEnd', rows: 30 }, 10)).toBe(0)
    expect(rowOf({ kind: 'row', index: 30 }, 10)).toBe(9)
    const [open, other] = [new OpenConversation('1'), new OpenConversation('2')]
    aim(open, { kind: 'end' })
    expect(taken(other)).toBeNull()
    expect(taken(open)).toEqual({ kind: 'end' })
    expect(taken(open)).toBeNull()
  })
})
