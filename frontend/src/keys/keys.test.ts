import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compare, strokes, words, type Pressed } from './match'
import { closeLayer, handle, openLayer, register, type Binding } from './registry'

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held })

describe('matching', () => {
  it.each([
    ['j', press('j'), 'whole'],
    ['j', press('J', { shiftKey: true }), 'no'],
    ['J', press('J', { shiftKey: true }), 'whole'],
    ['j', press('j', { ctrlKey: true }), 'no'],
    ['Mod+K', press('k', { ctrlKey: true }), 'whole'],
    ['Mod+K', press('K', { ctrlKey: true, shiftKey: true }), 'no'],
    ['Mod+Shift+P', press('P', { ctrlKey: true, shiftKey: true }), 'whole'],
    ['Ctrl+R', press('r', { ctrlKey: true }), 'whole'],
    ['Ctrl+R', press('r', { metaKey: true }), 'no'],
    ['Mod+.', press('.', { ctrlKey: true }), 'whole'],
    ['?', press('?', { shiftKey: true }), 'whole'],
    ['Esc', press('Escape'), 'whole'],
    ['g g', press('g'), 'begun'],
    ['+', press('+'), 'whole'],
  ] as const)('%s', (keys, pressed, wanted) => {
    expect(compare(strokes(keys), [pressed])).toBe(wanted)
  })

  it('is said in words', () => {
    expect(words('Mod+K', false)).toEqual([['Ctrl', 'K']])
    expect(words('Mod+K', true)).toEqual([['⌘', 'K']])
    expect(words('g g', false)).toEqual([['g'], ['g']])
    expect(words('', false)).toEqual([])
  })
})

describe('handling', () => {
  const stops: (() => void)[] = []
  const ran: string[] = []
  const bind = (keys: string, more: Partial<Binding> = {}, layer = 0) => {
    const binding: Binding = { keys, text: keys, group: '', run: () => ran.push(`${layer}:${keys}`), ...more }
    stops.push(register(layer, () => [binding]))
  }
  const type = (key: string, target: Element = document.body, held: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...held })
    target.dispatchEvent(event)
    return event
  }

  beforeEach(() => {
    ran.length = 0
    document.addEventListener('keydown', handle)
  })
  afterEach(() => {
    document.removeEventListener('keydown', handle)
    stops.splice(0).forEach((stop) => stop())
    document.body.replaceChildren()
  })

  it('runs what is bound and keeps the browser out', () => {
    bind('j')
    expect(type('j').defaultPrevented).toBe(true)
    expect(type('q').defaultPrevented).toBe(false)
    expect(ran).toEqual(['0:j'])
  })

  it('waits for the second of two strokes', () => {
    bind('g g')
    bind('j')
    type('g')
    type('g')
    type('g')
    type('j')
    expect(ran).toEqual(['0:g g', '0:j'])
  })

  it('forgets the first stroke after a while', () => {
    vi.useFakeTimers()
    bind('g g')
    type('g')
    vi.advanceTimersByTime(2000)
    type('g')
    expect(ran).toEqual([])
    vi.useRealTimers()
  })

  it('lets people type', () => {
    bind('j')
    bind('Mod+K')
    bind('Escape')
    const input = document.body.appendChild(document.createElement('input'))
    type('j', input)
    type('k', input, { ctrlKey: true })
    type('Escape', input)
    expect(ran).toEqual(['0:Mod+K', '0:Escape'])
  })

  it('counts only what is on top', () => {
    bind('j')
    bind('Escape', {}, 1)
    openLayer(1)
    type('j')
    type('Escape')
    closeLayer(1)
    type('j')
    expect(ran).toEqual(['1:Escape', '0:j'])
  })

  it('leaves out what does not count now', () => {
    bind('j', { when: false })
    expect(type('j').defaultPrevented).toBe(false)
  })

  it('prefers what came last', () => {
    bind('x', { text: 'old' })
    bind('x', { run: () => ran.push('new') })
    type('x')
    expect(ran).toEqual(['new'])
  })
})
