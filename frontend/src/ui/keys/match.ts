// Key bindings and how they are matched: "j", "J", "g g", "Ctrl+R", "Mod+K" (Ctrl, or Cmd on a Mac), "Escape".

export interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

interface Stroke {
  key: string
  ctrl: boolean
  mod: boolean
  meta: boolean
  alt: boolean
  shift: boolean
}

export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform ?? '')

export function strokes(keys: string): Stroke[] {
  return keys.trim() === '' ? [] : keys.trim().split(/\s+/).map(stroke)
}

function stroke(text: string): Stroke {
  const parts = text === '+' ? ['+'] : text.split('+')
  const key = parts.pop() || '+'
  const held = new Set(parts.map((part) => part.toLowerCase()))
  return {
    key: key === 'Esc' ? 'Escape' : key,
    ctrl: held.has('ctrl'),
    mod: held.has('mod'),
    meta: held.has('meta') || held.has('cmd'),
    alt: held.has('alt'),
    shift: held.has('shift'),
  }
}

/** Letters alone are case-sensitive (which includes Shift); with Ctrl or Alt, case is ignored. */
export function matches(wanted: Stroke, pressed: Pressed): boolean {
  const ctrl = wanted.ctrl || (wanted.mod && !isMac)
  const meta = wanted.meta || (wanted.mod && isMac)
  if (pressed.ctrlKey !== ctrl || pressed.metaKey !== meta || pressed.altKey !== wanted.alt) return false
  if (ctrl || meta || wanted.alt) {
    return pressed.key.toLowerCase() === wanted.key.toLowerCase() && pressed.shiftKey === wanted.shift
  }
  if (wanted.shift && !pressed.shiftKey) return false
  return pressed.key === wanted.key
}

export type Match = 'no' | 'begun' | 'whole'

/** Whether the last strokes are a binding, or the beginning of one. */
export function compare(wanted: Stroke[], pressed: Pressed[]): Match {
  if (wanted.length === 0 || pressed.length > wanted.length) return 'no'
  if (!pressed.every((press, at) => matches(wanted[at] as Stroke, press))) return 'no'
  return pressed.length === wanted.length ? 'whole' : 'begun'
}

const NAMES: Record<string, string> = {
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
  ' ': 'Space',
}

/** Returns the names of the keys: the parts of each stroke, one list for each stroke. */
export function words(keys: string, mac: boolean = isMac): string[][] {
  return strokes(keys).map((one) => {
    const held: string[] = []
    if (one.ctrl || (one.mod && !mac)) held.push('Ctrl')
    if (one.meta || (one.mod && mac)) held.push('⌘')
    if (one.alt) held.push(mac ? '⌥' : 'Alt')
    if (one.shift) held.push('Shift')
    const letter = held.length > 0 && one.key.length === 1 ? one.key.toUpperCase() : one.key
    return [...held, NAMES[letter] ?? letter]
  })
}
