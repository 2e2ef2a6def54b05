import { describe, expect, it } from 'vitest'
import { unseen } from './unseen'

describe('unseen', () => {
  it('counts what came while the reader was further up', () => {
    const start = unseen({ key: 'a', total: 10 }, 'a', 10, true)
    const later = unseen(start.seen, 'a', 14, false)
    expect(later.count).toBe(4)
    expect(unseen(later.seen, 'a', 14, true).count).toBe(0)
    expect(unseen(later.seen, 'b', 50, false).count).toBe(0)
    expect(unseen(later.seen, 'a', 3, false).count).toBe(0)
  })
})
