// The menu of a message, with all its actions.

import type { Row } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openOverlay, type Anchor, type MenuItem } from '../../ui/overlay/stack'
import { openInspector } from '../../ui/panes'
import { messageActions } from './actOnMessage'

export function openRowMenu(open: OpenConversation, row: Row, anchor: Anchor): void {
  const items: MenuItem[] = messageActions(open, row)
  items.push({ key: 'raw', text: 'Show the record', icon: 'raw', group: 'see', run: () => openInspector('raw') })
  openOverlay({
    name: 'row menu',
    conversation: open.cid,
    shape: 'menu',
    title: 'Actions of this message',
    anchor,
    items,
  })
}
