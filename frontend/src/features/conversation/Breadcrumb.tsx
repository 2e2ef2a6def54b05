// The forks on the path to the shown message, the way back from a sub-agent, and all branches.

import { useMemo } from 'react'
import type { ConversationDetails, Segment } from '../../data/api/types'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { Icon } from '../../ui/Icon'
import { Menu, type MenuItem } from '../../ui/Menu'
import { openLeft } from '../../ui/panes'
import { forksOf, pathTo, type Fork } from '../tree/path'
import { compareBranches } from '../tree/compare'
import { useGraph } from '../tree/useGraph'
import { leave, useTrail } from './trail'
import { many } from '../../lib/words'

/** Maximum number of forks shown; those in the middle are in the menu. */
const SHOWN = 3

export function Breadcrumb() {
  const { cid, leaf, conversation } = useConversation()
  const open = useOpen()
  const forked = conversation !== null && conversation.branches_total + conversation.sidechains_total > 1
  const graph = useGraph(forked ? cid : null)
  const back = useTrail()
  const segments = graph.data?.segments
  const forks = useMemo(() => (segments ? forksOf(segments, pathTo(segments, leaf)) : []), [segments, leaf])
  if (!forked && !back) return null
  const shown = forks.slice(-SHOWN)
  return (
    <nav className="conv-crumbs" aria-label="Forks of this branch">
      {back && (
        <button
          type="button"
          className="conv-back"
          onClick={() => leave(open)}
          title="Back to where it was started (b)"
        >
          <Icon name="reply" size={14} /> Back <span className="conv-crumb-agent">from {back.label}</span>
        </button>
      )}
      {forked && <Branches />}
      <ol className="conv-forks">
        {forks.length > shown.length && (
          <li>
            <button
              type="button"
              className="conv-crumb"
              onClick={() => openLeft('graph')}
              title="All forks in the graph"
            >
              {forks.length - shown.length} earlier
            </button>
          </li>
        )}
        {shown.map((fork) => (
          <li key={fork.taken.first}>
            <Crumb fork={fork} />
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Crumb({ fork }: { fork: Fork }) {
  const { taken, choices } = fork
  const open = useOpen()
  const items: MenuItem[] = choices.map((choice) => ({
    key: choice.first,
    text: `${choice.label || choice.first} · ${many(choice.messages, 'message')}`,
    checked: choice === taken,
    run: () => go(open, choice, taken),
  }))
  return (
    <span className="conv-crumb-pair">
      <button
        type="button"
        className="conv-crumb"
        dir="auto"
        onClick={() => open.select(taken.first)}
        title={taken.label}
      >
        {taken.label || 'Fork'}
      </button>
      <Menu small label={`Branch ${choices.indexOf(taken) + 1} of ${choices.length}`} icon="collapse" items={items}>
        <span className="conv-crumb-number">
          {choices.indexOf(taken) + 1}/{choices.length}
        </span>
      </Menu>
    </span>
  )
}

function go(open: OpenConversation, choice: Segment, taken: Segment): void {
  if (choice === taken) open.select(taken.first)
  else open.showLeaf(choice.leaf, choice.first)
}

function Branches() {
  const { conversation, leaf } = useConversation()
  const open = useOpen()
  const items = useMemo(() => branchItems(open, conversation, leaf), [open, conversation, leaf])
  const name = conversation?.branches.find((branch) => branch.leaf === leaf)?.name
  return (
    <Menu small label="Branches" icon="branch" items={items}>
      {name ?? many(conversation?.branches_total ?? 0, 'branch', 'branches')}
    </Menu>
  )
}

function branchItems(
  open: OpenConversation,
  conversation: ConversationDetails | null,
  leaf: string | null,
): MenuItem[] {
  const items: MenuItem[] = (conversation?.branches ?? []).slice(0, 60).map((branch) => ({
    key: branch.leaf,
    text: `${branch.name ?? (branch.label || branch.leaf)} · ${many(branch.messages, 'message')}`,
    checked: branch.leaf === leaf,
    group: branch.kind === 'sidechain' ? 'side' : 'branch',
    run: () => open.showLeaf(branch.leaf, null),
  }))
  if (conversation?.leaf && leaf && conversation.leaf !== leaf) {
    const current = conversation.leaf
    items.unshift({
      key: ' compare',
      text: 'Compare with the current branch',
      icon: 'split',
      group: 'compare',
      run: () => compareBranches(open, current, leaf),
    })
  }
  return items
}
