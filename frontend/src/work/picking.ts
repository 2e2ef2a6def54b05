/** Choosing a second message: where to move one, or with which to swap it. */

import { moveMessage, swapMessages } from './edit'
import { makeStore, useStore } from '../api/store'

export interface Picking {
  verb: 'move' | 'swap'
  about: string
}

const picking = makeStore<Picking | null>(null)

export function usePicking(): Picking | null {
  return useStore(picking)
}

/** Start to choose. */
export function startPicking(verb: Picking['verb'], about: string): void {
  picking.set({ verb, about })
}

/** Choose nothing after all. */
export function stopPicking(): void {
  picking.set(null)
}

/** A message was chosen; None makes the moved one a beginning. */
export function pick(id: string | null): void {
  const now = picking.get()
  if (!now || now.about === id) return
  stopPicking()
  if (now.verb === 'move') void moveMessage(now.about, id)
  else if (id !== null) void swapMessages(now.about, id)
}
