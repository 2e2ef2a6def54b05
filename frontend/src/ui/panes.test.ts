import { describe, expect, it } from 'vitest'
import { BOUNDS, read, within } from './panes'

describe('widths', () => {
  it('stay within what makes sense', () => {
    expect(within('left', 10)).toBe(BOUNDS.left.least)
    expect(within('left', 10_000)).toBe(BOUNDS.left.most)
    expect(within('right', 333.4)).toBe(333)
    expect(within('right', Number.NaN)).toBe(BOUNDS.right.usual)
    expect(within('right', '300')).toBe(BOUNDS.right.usual)
  })
})

describe('what was remembered', () => {
  it('may be anything', () => {
    for (const kept of [null, 3, 'x', [], { left: 'wide', leftFolded: 'yes', leftTab: 7, inspectorTab: {} }]) {
      expect(read(kept)).toMatchObject({ left: BOUNDS.left.usual, leftFolded: false, leftTab: 'library' })
    }
  })

  it('counts where it makes sense', () => {
    expect(read({ left: 250, rightFolded: true, leftTab: 'graph', inspectorTab: 'raw' })).toMatchObject({
      left: 250,
      rightFolded: true,
      leftTab: 'graph',
      inspectorTab: 'raw',
    })
  })
})
