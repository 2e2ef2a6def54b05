// The left pane: all conversations, or the tree of the open one.

import { Suspense } from 'react'
import type { StudioInfo } from '../data/api/types'
import { useKeys } from '../ui/keys/use'
import { lazyPart } from '../ui/overlay/lazyPart'
import { LibraryPane } from '../features/library/LibraryPane'
import { useConversation } from '../data/conversation/ConversationProvider'
import { ErrorBoundary } from '../ui/ErrorBoundary'
import { openLeft, setLeftTab, usePanes, type LeftTab } from '../ui/panes'
import { Tabs } from '../ui/Tabs'
import './left.css'

const GraphPane = lazyPart(() => import('../features/tree/GraphPane'))

const TABS = [
  { key: 'library', text: 'Library', icon: 'list' },
  { key: 'graph', text: 'Tree', icon: 'graph' },
] as const

export function LeftPane({ about }: { about: StudioInfo | null }) {
  const { leftTab } = usePanes()
  const { cid, conversation } = useConversation()
  useKeys([
    { text: 'Show the library', group: 'View', run: () => openLeft('library') },
    { text: 'Show the tree', group: 'View', run: () => openLeft('graph'), when: cid !== null },
  ])
  const active: LeftTab = cid === null ? 'library' : leftTab
  const branches = conversation && conversation.branches_total > 1 ? conversation.branches_total : 0
  const tabs =
    cid === null ? TABS.slice(0, 1) : TABS.map((tab) => (tab.key === 'graph' ? { ...tab, count: branches } : tab))
  return (
    <Tabs label="Left pane" className="left" tabs={tabs} active={active} onChange={(key) => setLeftTab(key as LeftTab)}>
      {active === 'library' ? (
        <ErrorBoundary what="The library">
          <LibraryPane about={about} />
        </ErrorBoundary>
      ) : (
        <ErrorBoundary what="The tree" resetKey={cid}>
          <Suspense fallback={<div className="layout-wait" aria-busy="true" />}>
            <GraphPane key={cid} />
          </Suspense>
        </ErrorBoundary>
      )}
    </Tabs>
  )
}
