// The left pane: all conversations, or the tree of the open one.

import { lazy, Suspense } from 'react'
import type { About } from '../api/types'
import { useKeys } from '../keys/use'
import { LibraryPane } from '../library/LibraryPane'
import { useCurrent } from './current'
import { ErrorBoundary } from './ErrorBoundary'
import { openLeft, setLeftTab, usePanes, type LeftTab } from './panes'
import { Tabs } from './Tabs'
import './left.css'

const GraphPane = lazy(() => import('../tree/GraphPane'))

const TABS = [
  { key: 'library', text: 'Library', icon: 'list' },
  { key: 'graph', text: 'Tree', icon: 'graph' },
] as const

export function LeftPane({ about }: { about: About | null }) {
  const { leftTab } = usePanes()
  const { cid, conversation } = useCurrent()
  useKeys([
    { text: 'Show the library', group: 'View', run: () => openLeft('library') },
    { text: 'Show the tree', group: 'View', run: () => openLeft('graph'), when: cid !== null },
  ])
  const active: LeftTab = cid === null ? 'library' : leftTab
  const branches = conversation && conversation.branches_total > 1 ? conversation.branches_total : 0
  const tabs = cid === null ? TABS.slice(0, 1) : TABS.map((tab) => (tab.key === 'graph' ? { ...tab, count: branches } : tab))
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
