// The menu of a branch.

import type { Segment } from '../../data/api/types'
import { openOverlay, type Anchor, type MenuItem } from '../../ui/overlay/stack'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openInspector } from '../../ui/panes'
import { openShare } from '../share/openShare'
import { isReadOnly } from '../../data/readOnly'
import { compareBranches } from './compare'
import { markBranch } from './marked'
import { startRenaming } from './Renaming'
import { goTo } from './goTo'

export function openGraphMenu(
  open: OpenConversation,
  segment: Segment,
  anchor: Anchor,
  toggle: (first: string) => void,
): void {
  const { leaf } = open
  const items: MenuItem[] = [
    {
      key: 'go',
      text: 'Go to its first message',
      icon: 'next',
      group: 'go',
      run: () => goTo(open, segment, segment.first),
    },
    {
      key: 'last',
      text: 'Go to its last message',
      icon: 'down',
      group: 'go',
      run: () => goTo(open, segment, segment.last),
    },
    {
      key: 'fold',
      text: 'Fold or unfold',
      icon: 'expand',
      group: 'go',
      enabled: segment.messages > 1,
      run: () => toggle(segment.first),
    },
    {
      key: 'compare',
      text: 'Compare with what is shown',
      icon: 'split',
      group: 'compare',
      enabled: leaf !== null && leaf !== segment.leaf,
      run: () => leaf !== null && compareBranches(open, leaf, segment.leaf),
    },
    {
      key: 'mark',
      text: 'Choose for comparing',
      icon: 'check',
      shortcut: ' ',
      group: 'compare',
      run: () => markBranch(open, segment.leaf),
    },
    {
      key: 'name',
      text: 'Name this branch…',
      icon: 'edit',
      shortcut: 'F2',
      group: 'work',
      enabled: !isReadOnly(),
      run: () => startRenaming(open, segment.first),
    },
    {
      key: 'share',
      text: 'Share this branch…',
      icon: 'share',
      group: 'work',
      run: () => openShare(open, { leaf: segment.leaf }),
    },
  ]
  if (segment.kind === 'problem')
    items.push({ key: 'repair', text: 'Repair…', icon: 'warning', group: 'work', run: () => openInspector('problems') })
  openOverlay({
    name: 'graph menu',
    conversation: open.cid,
    shape: 'menu',
    title: 'Actions of this branch',
    anchor,
    items,
  })
}
