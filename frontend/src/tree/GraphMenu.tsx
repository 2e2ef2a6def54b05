// What can be done with a branch.

import { makeStore, useStore } from '../api/store'
import type { Segment } from '../api/types'
import { getCurrent } from '../shell/current'
import { MenuList, type MenuItem } from '../shell/Menu'
import { openInspector } from '../shell/panes'
import { openDialog } from '../work/dialogs'
import { useReadOnly } from '../work/readOnly'
import { compareBranches, markBranch } from './marked'
import { startRenaming } from './Renaming'
import { goTo } from './useGraphEvents'

type Anchor = Element | { x: number; y: number } | null

const menu = makeStore<{ segment: Segment; anchor: Anchor } | null>(null)

export function openGraphMenu(segment: Segment, anchor: Anchor): void {
  menu.set({ segment, anchor })
}

export function GraphMenu({ toggle }: { toggle: (first: string) => void }) {
  const open = useStore(menu)
  const readOnly = useReadOnly()
  if (!open) return null
  const { segment, anchor } = open
  const { leaf } = getCurrent()
  const items: MenuItem[] = [
    { key: 'go', text: 'Go to its first message', icon: 'next', group: 'go', run: () => goTo(segment, segment.first) },
    { key: 'last', text: 'Go to its last message', icon: 'down', group: 'go', run: () => goTo(segment, segment.last) },
    { key: 'fold', text: 'Fold or unfold', icon: 'expand', group: 'go', enabled: segment.messages > 1, run: () => toggle(segment.first) },
    { key: 'compare', text: 'Compare with what is shown', icon: 'split', group: 'compare', enabled: leaf !== null && leaf !== segment.leaf, run: () => leaf !== null && compareBranches(leaf, segment.leaf) },
    { key: 'mark', text: 'Choose for comparing', icon: 'check', shortcut: ' ', group: 'compare', run: () => markBranch(segment.leaf) },
    { key: 'name', text: 'Name this branch…', icon: 'edit', shortcut: 'F2', group: 'work', enabled: !readOnly, run: () => startRenaming(segment.first) },
    { key: 'share', text: 'Share this branch…', icon: 'share', group: 'work', run: () => openDialog({ kind: 'share', leaf: segment.leaf }) },
  ]
  if (segment.kind === 'problem') items.push({ key: 'repair', text: 'Repair…', icon: 'warning', group: 'work', run: () => openInspector('problems') })
  return <MenuList key={segment.first} label="Actions of this branch" items={items} anchor={() => anchor} onClose={() => menu.set(null)} />
}
