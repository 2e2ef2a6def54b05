// The dialog that shows what a repair would change.

import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { lazyPart } from '../../ui/overlay/lazyPart'
import { openConversationDialog } from '../common/openConversationDialog'

const FixDialog = lazyPart(() => import('./FixDialog'))

/** Opens it for some rules, or for all safe fixes. */
export function openFix(open: OpenConversation, codes: string[] = []): void {
  openConversationDialog(open, {
    title: codes.length ? `Repair ${codes.join(', ')}` : 'Repair what is safe',
    wide: true,
    render: (close) => <FixDialog codes={codes} onClose={close} />,
  })
}
