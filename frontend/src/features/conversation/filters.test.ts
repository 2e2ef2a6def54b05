import { describe, expect, it } from 'vitest'
import { showOf, termWords, toggled } from './filters'

describe('filters', () => {
  it('writes terms in one order, whatever they hold', () => {
    expect(showOf(['tool:a,b', 'role:user'])).toBe('role:user,tool:a%2Cb')
    expect(showOf([])).toBe('')
  })

  it('takes a term in and out', () => {
    const once = toggled([], 'role:user')
    expect(once).toEqual(['role:user'])
    expect(toggled(once, 'role:user')).toEqual([])
    expect(termWords('role:user')).toBe('User')
    expect(termWords('tool:mcp:x')).toBe('tool mcp:x')
  })
})
