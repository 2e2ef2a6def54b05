/** Choosing a second message: where to move one, or with which to swap it. */

import type { MoveMode, OpenConversation } from '../../data/conversation/OpenConversation'
import { moveMessage, swapMessages } from './edit'

export function startMoving(open: OpenConversation, verb: MoveMode['verb'], about: string): void {
  open.set({ moveMode: { verb, about } })
}

/** Chooses nothing after all. */
export function stopMoving(open: OpenConversation): void {
  open.set({ moveMode: null })
}

/** A message was chosen; null makes the moved one a beginning. */
export function chooseTarget(open: OpenConversation, id: string | null): void {
  const { moveMode } = open.local.getState()
  if (!moveMode || moveMode.about === id) return
  stopMoving(open)
  if (moveMode.verb === 'move') void moveMessage(open, moveMode.about, id)
  else if (id !== null) void swapMessages(open, moveMode.about, id)
}
