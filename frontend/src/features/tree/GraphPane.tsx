// The tree of the conversation as a graph.

import { useMemo } from 'react'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { Empty } from '../../ui/Empty'
import { Button } from '../../ui/Button'
import { many } from '../../lib/words'
import { GraphTree } from './GraphTree'
import { layout } from './lanes'
import { compareBranches } from './compare'
import { unmarkAll, useMarked } from './marked'
import { pathTo } from './path'
import { useGraph } from './useGraph'
import './tree.css'

export default function GraphPane() {
  const { cid, leaf, conversation } = useConversation()
  const open = useOpen()
  const graph = useGraph(cid)
  const marked = useMarked()
  const segments = graph.data?.segments
  const placed = useMemo(() => (segments ? layout(segments) : null), [segments])
  const onPath = useMemo(() => new Set(pathTo(segments ?? [], leaf).map((segment) => segment.first)), [segments, leaf])
  if (cid === null) return <Empty icon="graph" title="No conversation is open" />
  if (graph.error && !graph.data) {
    return (
      <Empty icon="error" title="The tree cannot be shown" action={<Button onClick={graph.again}>Try again</Button>}>
        {graph.error.message}
      </Empty>
    )
  }
  if (!placed || !graph.data) return <div className="tree-waiting" role="status" aria-label="Loading the tree" />
  return (
    <section className="tree-pane" aria-label="Branches">
      <div className="tree-head">
        <span>
          {many(graph.data.messages, 'message')}
          {conversation && ` · ${many(conversation.branches_total, 'branch', 'branches')}`}
        </span>
        {marked.length > 0 && (
          <span className="tree-compare">
            {marked.length < 2 ? (
              'Choose another branch (Ctrl click)'
            ) : (
              <Button
                small
                kind="primary"
                icon="split"
                onClick={() => compareBranches(open, marked[0] as string, marked[1] as string)}
              >
                Compare
              </Button>
            )}
            <Button small kind="quiet" icon="close" label="Choose none" onClick={() => unmarkAll(open)} />
          </span>
        )}
      </div>
      {graph.data.total > graph.data.segments.length && (
        <p className="tree-note">
          The first {graph.data.segments.length.toLocaleString('en')} of {graph.data.total.toLocaleString('en')} runs
          are shown.
        </p>
      )}
      <GraphTree key={cid} cid={cid} placed={placed} onPath={onPath} />
    </section>
  )
}
