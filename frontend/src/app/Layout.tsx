// The panes: library and tree on the left, the conversation, the inspector on the right.

import { Suspense, useEffect, useSyncExternalStore, type ReactNode } from 'react'
import type { StudioInfo } from '../data/api/types'
import { useKeys } from '../ui/keys/use'
import { lazyPart } from '../ui/overlay/lazyPart'
import { OverlayHost } from '../ui/overlay/OverlayHost'
import { Bar } from './Bar'
import { useConversation } from '../data/conversation/ConversationProvider'
import { ErrorBoundary } from '../ui/ErrorBoundary'
import { LeftPane } from './LeftPane'
import { closeSheet, NARROW, toggle, usePanes, type Side } from '../ui/panes'
import { Separator } from './Separator'
import { StatusBar } from './StatusBar'
import { useDocumentTitle } from './useDocumentTitle'
import './layout.css'

const ConversationPane = lazyPart(() => import('../features/conversation/ConversationPane'))
const Inspector = lazyPart(() => import('../features/inspector/Inspector'))
const Overview = lazyPart(() => import('../features/library/overview/Overview'))

export function Layout({ about }: { about: StudioInfo | null }) {
  const panes = usePanes()
  const { cid, conversation, error } = useConversation()
  const missing = error !== null && conversation === null
  const narrow = useNarrow()
  useDocumentTitle()
  useEffect(() => {
    // In a wide window, the content of a sheet is in a pane.
    if (!narrow) closeSheet()
  }, [narrow])
  useKeys([
    { keys: 'Mod+B', text: 'Fold or unfold the library', group: 'View', run: () => toggle('left') },
    {
      keys: 'Mod+.',
      text: 'Fold or unfold the inspector',
      group: 'View',
      run: () => toggle('right'),
      when: cid !== null,
    },
  ])
  const left = <LeftPane about={about} />
  const right = cid === null || missing ? null : <RightPane cid={cid} />
  return (
    <div className="layout">
      <a className="layout-skip" href="#content" onClick={skip}>
        Skip to the conversation
      </a>
      <Bar about={about} />
      <div className="layout-panes">
        {!narrow && !panes.leftFolded && (
          <Pane side="left" label="Library" width={panes.left}>
            {left}
          </Pane>
        )}
        <main id="content" className="layout-main" tabIndex={-1}>
          <ErrorBoundary what="The conversation" resetKey={cid}>
            <Suspense fallback={<div className="layout-wait" aria-busy="true" />}>
              {cid === null ? <Overview about={about} /> : <ConversationPane />}
            </Suspense>
          </ErrorBoundary>
        </main>
        {!narrow && right && !panes.rightFolded && (
          <Pane side="right" label="Inspector" width={panes.right}>
            {right}
          </Pane>
        )}
      </div>
      <StatusBar about={about} />
      <OverlayHost sheets={(side) => (side === 'left' ? left : right)} />
    </div>
  )
}

function RightPane({ cid }: { cid: string }) {
  return (
    <ErrorBoundary what="The inspector" resetKey={cid}>
      <Suspense fallback={<div className="layout-wait" aria-busy="true" />}>
        <Inspector />
      </Suspense>
    </ErrorBoundary>
  )
}

interface PaneProps {
  side: Side
  label: string
  width: number
  children: ReactNode
}

function Pane({ side, label, width, children }: PaneProps) {
  return (
    <aside className={`layout-pane layout-${side}`} aria-label={label} style={{ width }}>
      {children}
      <Separator side={side} width={width} label={`Width of the ${label.toLowerCase()}`} />
    </aside>
  )
}

/** A link to #content would be read as a route; only the focus moves there. */
function skip(event: { preventDefault: () => void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

const query = typeof matchMedia === 'function' ? matchMedia(`(max-width: ${NARROW - 1}px)`) : null

function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query?.addEventListener('change', listener)
      return () => query?.removeEventListener('change', listener)
    },
    () => query?.matches ?? false,
  )
}
