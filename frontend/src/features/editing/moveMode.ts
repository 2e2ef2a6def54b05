/** Choosing a second message: as a new parent, or to swap with. */

import type { MoveMode, OpenConversation } from '../../data/conversation/OpenConversation'
import { moveMessage, swapMessages } from './edit'

export function startMoving(open: OpenConversation, verb: MoveMode['verb'], about: string): void {
  open.set({ moveMode: { verb, about } })
}

/** Cancels the choice. */
export function stopMoving(open: OpenConversation): void {
  open.set({ moveMode: null })
}

/** Handles the choice of a message; null makes the moved one a root. */
export function chooseTarget(open: OpenConversation, id: string | null): void {
  const { moveMode } = open.local.getState()
  if (!moveMode || moveMode.about === id) return
  stopMoving(open)
  if (moveMode.verb === 'move') void moveMessage(open, moveMode.about, id)
  else if (id !== null) void swapMessages(open, moveMode.about, id)
}
