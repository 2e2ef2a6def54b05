// The lines of the graph, of which only visible ones exist, with keys and a minimap.

import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Segment } from '../../data/api/types'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { Lines } from './flat'
import { GraphLine } from './GraphLine'
import type { Layout } from './lanes'
import { Minimap } from './Minimap'
import { NodeLine } from './NodeLine'
import { LINE } from './Rail'
import { useGraphEvents } from './useGraphEvents'
import { useRuns } from './useRuns'

interface Props {
  cid: string
  placed: Layout
  /** The segments of the shown branch. */
  onPath: ReadonlySet<string>
}

export function GraphTree({ cid, placed, onPath }: Props) {
  const { selected } = useConversation()
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [focus, setFocus] = useState(0)
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => new Lines(placed.rows.length, openRows(placed, unfolded)), [placed, unfolded])
  const runs = useRuns(cid, placed)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 8,
  })
  const items = virtualizer.getVirtualItems()
  const toggle = (first: string) => setUnfolded((now) => flipped(now, first))
  const point = (line: number) => {
    setFocus(line)
    // Even if it was selected already: the reader may have scrolled away.
    virtualizer.scrollToIndex(line, { align: 'auto' })
  }
  const events = useGraphEvents({
    open: useOpen(),
    placed,
    lines,
    focus,
    setFocus: point,
    toggle,
    unfolded,
    node: runs.node,
  })

  useEffect(() => {
    for (const item of items) {
      const line = lines.at(item.index)
      if (line.message >= 0) runs.want(line.row, line.message)
    }
  })
  useShowPath(placed, onPath, lines, (line) => virtualizer.scrollToIndex(line, { align: 'center' }))

  return (
    <div className="tree-stage">
      <div
        ref={scroller}
        className="tree-scroll"
        role="tree"
        aria-label="Branches of the conversation"
        aria-multiselectable="true"
        aria-activedescendant={items.some((item) => item.index === focus) ? `tree-line-${focus}` : undefined}
        tabIndex={0}
        {...events}
      >
        <div className="tree-lines" role="none" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const line = lines.at(item.index)
            const place = placed.rows[line.row]
            if (!place) return null
            const common = {
              place,
              lanes: placed.lanes,
              top: item.start,
              line: item.index,
              focused: item.index === focus,
            }
            return line.message < 0 ? (
              <GraphLine
                key={place.segment.first}
                {...common}
                shown={onPath.has(place.segment.first)}
                unfolded={unfolded.has(place.segment.first)}
              />
            ) : (
              <NodeLine
                key={`${place.segment.first} ${line.message}`}
                {...common}
                node={runs.node(line.row, line.message)}
                number={line.message}
                count={place.segment.messages}
                selected={selected}
              />
            )
          })}
        </div>
      </div>
      {lines.length > 40 && (
        <Minimap
          placed={placed}
          lines={lines}
          onPath={onPath}
          scroller={scroller}
          height={virtualizer.getTotalSize()}
        />
      )}
    </div>
  )
}

function openRows(placed: Layout, unfolded: ReadonlySet<string>): Map<number, number> {
  const open = new Map<number, number>()
  for (const first of unfolded) {
    const place = placed.byFirst.get(first)
    if (place) open.set(place.row, place.segment.messages)
  }
  return open
}

function flipped(now: ReadonlySet<string>, first: string): ReadonlySet<string> {
  const next = new Set(now)
  if (!next.delete(first)) next.add(first)
  return next
}

/** When another branch is shown, scrolls to its end. */
function useShowPath(placed: Layout, onPath: ReadonlySet<string>, lines: Lines, show: (line: number) => void): void {
  const last = endOf(placed, onPath)
  useEffect(() => {
    if (last) show(lines.lineOf((placed.byFirst.get(last.first) as { row: number }).row))
    // oxlint-disable-next-line react/exhaustive-deps -- not when lines are unfolded: then the reader is looking there
  }, [last?.first])
}

function endOf(placed: Layout, onPath: ReadonlySet<string>): Segment | null {
  let found: Segment | null = null
  for (const row of placed.rows) if (onPath.has(row.segment.first)) found = row.segment
  return found
}
