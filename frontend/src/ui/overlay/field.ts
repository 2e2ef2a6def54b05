// Type-ahead: from the key that opens a text field until the field has the focus, typed keys are kept for it and not
// used as commands.

import { closeNamed, openOverlay, topOverlay } from './stack'

const NAME = 'field'
let typed = ''

/** Announces a field; `onCancel` is called if Escape is pressed before it is there. */
export function awaitField(conversation: string | null, onCancel: () => void): void {
  typed = ''
  let cancelled = true
  openOverlay({ name: NAME, shape: 'field', conversation, onClose: () => cancelled && ((typed = ''), onCancel()) })
  settle = () => (cancelled = false)
}

let settle: () => void = () => undefined

/** The field has the focus: returns what was typed meanwhile. */
export function fieldReady(): string {
  const was = typed
  typed = ''
  settle()
  closeNamed(NAME)
  return was
}

/** The field will not appear; this is not a cancellation by the user. */
export function fieldFailed(): void {
  fieldReady()
}

/** Takes a key for the awaited field; false if there is none. */
export function typeAhead(event: KeyboardEvent): boolean {
  if (topOverlay()?.shape !== 'field') return false
  if (event.key === 'Escape') closeNamed(NAME)
  else if (event.key === 'Backspace') typed = typed.slice(0, -1)
  else if (event.ctrlKey || event.metaKey) return true
  else if (event.key === 'Enter') typed += '\n'
  else if ([...event.key].length === 1) typed += event.key
  event.preventDefault()
  return true
}
