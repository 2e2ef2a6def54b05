// Two branches beside each other, in a dialog.

import { lazyPart } from '../../ui/overlay/lazyPart'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openOverlay } from '../../ui/overlay/stack'

const CompareView = lazyPart(() => import('./CompareView'))

/** Shows two branches of a conversation beside each other. */
export function compareBranches(open: OpenConversation, a: string, b: string): void {
  openOverlay({
    name: 'compare',
    conversation: open.cid,
    shape: 'dialog',
    title: 'Compare branches',
    wide: true,
    className: 'tree-compare-dialog',
    render: (close) => <CompareView open={open} a={a} b={b} onGo={close} onSwap={() => compareBranches(open, b, a)} />,
  })
}
