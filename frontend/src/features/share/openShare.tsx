// The dialog in which a conversation, a branch or some messages are shared.

import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { lazyPart } from '../../ui/overlay/lazyPart'
import { openConversationDialog } from '../common/openConversationDialog'

const ShareDialog = lazyPart(() => import('./ShareDialog'))

/** Opens it; by default for the shown branch. */
export function openShare(open: OpenConversation, what: { leaf?: string; ids?: string[] } = {}): void {
  openConversationDialog(open, {
    title: 'Share',
    wide: true,
    className: 'share',
    render: (close) => <ShareDialog ids={what.ids} leaf={what.leaf} onClose={close} />,
  })
}
