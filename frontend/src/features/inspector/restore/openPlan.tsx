// The dialog that shows which files an undo, a redo or a restore would change.

import type { Travel } from '../../../data/api/types'
import type { OpenConversation } from '../../../data/conversation/OpenConversation'
import { lazyPart } from '../../../ui/overlay/lazyPart'
import { openConversationDialog } from '../../common/openConversationDialog'

const PlanDialog = lazyPart(() => import('./PlanDialog'))

const TITLES: Record<Travel['verb'], string> = {
  undo: 'Undo the last step',
  redo: 'Redo',
  restore: 'Restore to the selected message',
}

export function openPlan(open: OpenConversation, verb: Travel['verb'], to: Travel['to']): void {
  const travel: Travel = { verb, to, what: 'both', choices: {} }
  openConversationDialog(open, {
    title: TITLES[verb],
    wide: true,
    render: (close) => <PlanDialog travel={travel} onClose={close} />,
  })
}
