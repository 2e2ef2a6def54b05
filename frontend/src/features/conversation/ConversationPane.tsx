// The conversation: its rows, and everything around them.

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore, type WheelEvent } from 'react'
import { FindBar } from '../find/FindBar'
import { useLive } from '../live/live'
import { BranchPill } from '../live/BranchPill'
import { NewPill } from '../live/NewPill'
import { useUnseen } from '../live/unseen'
import { useConversation, useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import { useRoute } from '../../lib/router'
import Composer from '../editing/Composer'
import type { Aim } from '../../data/conversation/aim'
import type { Arrival, OpenConversation } from '../../data/conversation/OpenConversation'
import { notePlace } from '../../data/conversation/lastPlaces'
import { Breadcrumb } from './Breadcrumb'
import { FilterBar } from './FilterBar'
import { Forgotten } from './Forgotten'
import { showOf } from './filters'
import { useList, type List } from './list'
import { Navigator } from './navigate'
import { Nothing } from './Nothing'
import { openFound } from './reveal'
import { RowEvents } from './RowEvents'
import { RowList, type Heights, type ListHandle } from './RowList'
import { Toolbar } from './Toolbar'
import { useConversationKeys } from './useConversationKeys'
import { useView } from './view'
import './conversation.css'
import './row.css'
import './blocks/blocks.css'

export default function ConversationPane() {
  const { cid } = useConversation()
  const view = useView()
  const { list, pending } = useList(showOf(useRoute().show))
  const hasRows = useSyncExternalStore(list?.pages.subscribe ?? silent, () => (list?.pages.total ?? 0) > 0)
  const forgotten = useLocal((local) => local.forgotten) ?? false
  useLive(useOpen())
  if (cid === null) return null
  if (forgotten) return <Forgotten />
  return (
    <section className="conv-pane" aria-label="Conversation">
      <Toolbar list={list} />
      {view.filtering && <FilterBar list={list} />}
      <Breadcrumb />
      {list && hasRows ? <Shown key={cid} list={list} cid={cid} pending={pending} /> : <Nothing list={list} />}
    </section>
  )
}

const silent = () => () => undefined

/** Stores the reader's place; null at the end of the current branch, where a conversation opens by default. */
function noteHere(open: OpenConversation, id: string | null, selected: boolean): void {
  const { data, leaf } = open
  if (open.left || !data) return
  const other = leaf === data.leaf ? null : leaf
  const at = id ?? other
  notePlace(open.cid, at === null ? null : { path: data.path, leaf: other, id: at, selected })
}

function Shown({ list, cid, pending }: { list: List; cid: string; pending: boolean }) {
  const open = useOpen()
  const { leaf, selected, follow, conversation } = useConversation()
  const arrival = useLocal((local) => local.arrival)
  const { layout } = useView()
  const handle = useRef<ListHandle>(null)
  const heights = useRef<Heights>({ offset: 0, sizes: new Map(), base: 0 })
  const [atEnd, setAtEnd] = useState(true)
  const [finding, setFinding] = useState(false)
  const writing = useLocal((local) => local.writing)
  const navigator = useMemo(() => new Navigator(open, list, () => handle.current), [open, list])
  useSyncExternalStore(list.pages.subscribe, list.pages.snapshot)
  const unseen = useUnseen(list.key, list.pages.total, atEnd || list.tail)

  useEffect(() => list.pages.subscribe(() => navigator.settle()), [list, navigator])
  const revealed = useRef<Arrival | null>(null)
  useEffect(() => {
    // A branch that is being loaded opens at the selected message anyway.
    if (selected === null || list.tail || pending) return
    const isNew = arrival !== null && arrival.id === selected && arrival !== revealed.current
    revealed.current = arrival
    // An edit may have moved it on the shown branch.
    if (isNew) void navigator.reveal(arrival.id, arrival.number)
    else void navigator.show(selected)
  }, [selected, arrival, navigator, pending, list.tail])
  const start = useRef<{ list: List; layout: string; aim: Aim | null }>(null)
  if (start.current?.list !== list) start.current = { list, layout, aim: list.aim }
  else if (start.current.layout !== layout) {
    // Another layout shows the same row first.
    start.current = {
      list,
      layout,
      aim: atEnd ? null : { kind: 'row', index: handle.current?.range()[0] ?? 0, quiet: true },
    }
  }
  useEffect(() => {
    open.position = () => {
      const now = handle.current
      if (!now || list.tail) return null
      if (now.atEnd()) return { kind: 'end' }
      const [first] = now.range()
      return { kind: 'same', index: first, top: now.topOf(first), quiet: true }
    }
    return () => {
      open.position = () => null
    }
  }, [open, list])
  useConversationKeys(open, navigator, () => setFinding(true))
  useEffect(() => {
    if (follow) handle.current?.scrollToEnd()
  }, [follow])

  const note = useCallback(
    (end: boolean) => {
      const row = list.pages.row(handle.current?.range()[0] ?? -1)
      if (list.tail || list.filtered) return
      if (open.selected !== null) noteHere(open, open.selected, true)
      else if (row && !end) noteHere(open, row.id, false)
      else if (row) noteHere(open, null, false)
    },
    [open, list],
  )
  useEffect(() => {
    if (!pending) note(handle.current?.atEnd() ?? true)
  }, [selected, leaf, pending, note])
  const onScroll = useCallback(
    (end: boolean, up: boolean) => {
      setAtEnd(end)
      note(end)
      if (up && !end && touched.current) open.setFollow(false)
    },
    [open, note],
  )
  const touched = useRef(false)
  const touch = () => {
    touched.current = true
    setTimeout(() => (touched.current = false), 400)
  }
  const wheel = (event: WheelEvent) => {
    touch()
    // On a busy machine the list may scroll long after the wheel event, and be back at its end by then.
    if (event.deltaY < 0 && (handle.current?.box()?.scrollTop ?? 0) > 0) open.setFollow(false)
  }
  return (
    <>
      {finding && (
        <FindBar
          cid={cid}
          leaf={leaf === conversation?.leaf ? null : leaf}
          list={() => handle.current?.box() ?? null}
          from={() => list.pages.row(handle.current?.range()[0] ?? 0)?.number ?? 0}
          onGo={async (number, text) => {
            const index = await navigator.toNumber(number)
            openFound(open.folds, list.pages.row(index), text)
            return index
          }}
          onClose={() => (setFinding(false), handle.current?.focusRow(navigator.cursor))}
        />
      )}
      <RowEvents list={list} navigator={navigator}>
        <div className="conv-stage" onWheel={wheel} onTouchMove={touch} onPointerDown={touch} onKeyDown={touch}>
          <RowList
            key={`${list.key} ${layout}`}
            ref={handle}
            list={list}
            cid={cid}
            layout={layout}
            selected={selected}
            follow={follow}
            aim={start.current.aim}
            heights={heights.current}
            onScroll={onScroll}
            onReady={(index, aim) => navigator.begin(index, aim)}
          />
          <BranchPill />
          <NewPill
            count={unseen}
            far={!atEnd}
            onGo={() => {
              handle.current?.scrollToEnd()
              if (conversation?.live) open.setFollow(true)
            }}
          />
        </div>
      </RowEvents>
      {writing && writing.about === null && <Composer />}
    </>
  )
}
