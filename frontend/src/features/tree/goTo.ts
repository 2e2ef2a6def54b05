// Going to a place of the tree.

import type { Segment } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { closeSheet } from '../../ui/panes'

/** Shows the branch through a segment, at one of its messages. */
export function goTo(open: OpenConversation, segment: Segment, id: string): void {
  closeSheet()
  if (open.leaf === segment.leaf) return open.select(id)
  open.showLeaf(segment.leaf, id)
}
