// The message that is being dragged, to be dropped on another one or on a line of the tree.

import type { OpenConversation } from '../../data/conversation/OpenConversation'

/** A drop must not trust data of other windows, so it is kept here. */
let dragged: { cid: string; id: string } | null = null

/** Returns the id of the message that is dragged within a conversation. */
export function draggedHere(open: OpenConversation): string | null {
  return dragged && dragged.cid === open.cid ? dragged.id : null
}

export function setDragged(open: OpenConversation, id: string): void {
  dragged = { cid: open.cid, id }
}

export function endDragging(): void {
  dragged = null
}
