// The dialog that shows which files an undo, a redo or a restore would change.

import type { NavigationRequest } from '../../../data/api/types'
import type { OpenConversation } from '../../../data/conversation/OpenConversation'
import { lazyPart } from '../../../ui/overlay/lazyPart'
import { openConversationDialog } from '../../common/openConversationDialog'

const PlanDialog = lazyPart(() => import('./PlanDialog'))

const TITLES: Record<NavigationRequest['verb'], string> = {
  undo: 'Undo the last step',
  redo: 'Redo',
  restore: 'Restore to the selected message',
}

export function openPlan(open: OpenConversation, verb: NavigationRequest['verb'], to: NavigationRequest['to']): void {
  const travel: NavigationRequest = { verb, to, what: 'both', choices: {} }
  openConversationDialog(open, {
    title: TITLES[verb],
    wide: true,
    render: (close) => <PlanDialog travel={travel} onClose={close} />,
  })
}
