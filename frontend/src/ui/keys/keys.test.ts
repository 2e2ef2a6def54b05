import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compare, strokes, words, type Pressed } from './match'
import { awaitField, fieldReady } from '../overlay/field'
import { closeOverlay, openOverlay, topOverlay } from '../overlay/stack'
import { handle, register, type Binding } from './registry'

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

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
    const id = openOverlay({ name: 'one', shape: 'dialog', title: 'One', render: () => null })
    bind('k', {}, id)
    type('j')
    type('k')
    closeOverlay(id)
    type('j')
    expect(ran).toEqual([`${id}:k`, '0:j'])
  })

  it('stops counting the page the moment something is asked for, before anything is drawn', () => {
    bind('o', { run: () => openOverlay({ name: 'one', shape: 'dialog', title: 'One', render: () => null }) })
    bind('x')
    type('o')
    type('x')
    expect(ran).toEqual([])
    type('Escape')
    expect(topOverlay()).toBeUndefined()
    type('x')
    expect(ran).toEqual(['0:x'])
  })

  it('keeps what is typed for a field that was asked for', () => {
    bind('x')
    let cancelled = 0
    awaitField(null, () => cancelled++)
    for (const key of ['f', 'i', 'x', 'q', 'Backspace', 'Enter']) expect(type(key).defaultPrevented).toBe(true)
    expect(fieldReady()).toBe('fix\n')
    type('x')
    awaitField(null, () => cancelled++)
    type('a')
    type('Escape')
    expect([cancelled, fieldReady()]).toEqual([1, ''])
    expect(ran).toEqual(['0:x'])
  })

  it('leaves some keys to the field', () => {
    bind('Mod+Z', { notInFields: true })
    const input = document.body.appendChild(document.createElement('input'))
    expect(type('z', input, { ctrlKey: true }).defaultPrevented).toBe(false)
    expect(type('z', document.body, { ctrlKey: true }).defaultPrevented).toBe(true)
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
