// The conversation: its rows, and everything around them.

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore, type WheelEvent } from 'react'
import { FindBar } from '../find/FindBar'
import { useLive } from '../live/live'
import { NewPill } from '../live/NewPill'
import { useUnseen } from '../live/unseen'
import { getCurrent, setFollow, useCurrent } from '../shell/current'
import Composer from '../work/Composer'
import { useWriting } from '../work/writing'
import type { Aim } from './aim'
import { Breadcrumb } from './Breadcrumb'
import { FilterBar } from './FilterBar'
import { showOf } from './filters'
import { forgetFolds } from './folds'
import { useList, type List } from './list'
import { Navigator } from './navigate'
import { Nothing } from './Nothing'
import { openFound } from './reveal'
import { RowEvents } from './RowEvents'
import { RowList, type Heights, type ListHandle } from './RowList'
import { Toolbar } from './Toolbar'
import { useConversationKeys } from './useConversationKeys'
import { useView } from './view'
import { forgetWhole } from './whole'
import './conversation.css'
import './row.css'
import './blocks/blocks.css'

export default function ConversationPane() {
  const { cid, stamp } = useCurrent()
  const view = useView()
  const { list, pending } = useList(showOf(view.show))
  useLive(cid)
  useEffect(() => {
    forgetFolds()
  }, [cid])
  useEffect(() => {
    forgetWhole()
  }, [cid, stamp])
  if (cid === null) return null
  return (
    <section className="conv-pane" aria-label="Conversation">
      <Toolbar list={list} />
      {view.filtering && <FilterBar list={list} />}
      <Breadcrumb />
      {list && list.pages.total > 0 ? <Shown key={cid} list={list} cid={cid} pending={pending} /> : <Nothing list={list} />}
    </section>
  )
}

function Shown({ list, cid, pending }: { list: List; cid: string; pending: boolean }) {
  const { leaf, selected, follow, conversation, edits } = useCurrent()
  const { layout } = useView()
  const handle = useRef<ListHandle>(null)
  const heights = useRef<Heights>({ offset: 0, sizes: new Map(), base: 0 })
  const [atEnd, setAtEnd] = useState(true)
  const [finding, setFinding] = useState(false)
  const writing = useWriting()
  const navigator = useMemo(() => new Navigator(list, () => handle.current), [list])
  useSyncExternalStore(list.pages.subscribe, list.pages.snapshot)
  const unseen = useUnseen(list.key, list.pages.total, atEnd || list.tail)

  useEffect(() => list.pages.subscribe(() => navigator.settle()), [list, navigator])
  useEffect(() => {
    // A branch that is on its way opens at what is pointed at by itself.
    if (selected !== null && !list.tail && !pending) void navigator.show(selected)
  }, [selected, navigator, pending])
  useEffect(() => {
    // An edit may have put it elsewhere on the branch that is shown.
    if (edits > 0 && selected !== null && !pending) void navigator.reveal(selected)
  }, [edits])
  const start = useRef<{ list: List; layout: string; aim: Aim | null }>(null)
  if (start.current?.list !== list) start.current = { list, layout, aim: list.aim }
  else if (start.current.layout !== layout) {
    // Another layout shows the same row first.
    start.current = { list, layout, aim: atEnd ? null : { kind: 'row', index: handle.current?.range()[0] ?? 0, quiet: true } }
  }
  useConversationKeys(navigator, () => setFinding(true))
  useEffect(() => {
    if (follow) handle.current?.scrollToEnd()
  }, [follow])

  const onScroll = useCallback((end: boolean, up: boolean) => {
    setAtEnd(end)
    if (up && !end && getCurrent().follow && touched.current) setFollow(false)
  }, [])
  const touched = useRef(false)
  const touch = () => {
    touched.current = true
    setTimeout(() => (touched.current = false), 400)
  }
  const wheel = (event: WheelEvent) => {
    touch()
    // On a busy machine the list may be scrolled long after the wheel was turned, and be back at its end by then.
    if (event.deltaY < 0 && getCurrent().follow && (handle.current?.box()?.scrollTop ?? 0) > 0) setFollow(false)
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
            openFound(list.pages.row(index), text)
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
          <NewPill
            count={unseen}
            far={!atEnd}
            onGo={() => {
              handle.current?.scrollToEnd()
              if (conversation?.live) setFollow(true)
            }}
          />
        </div>
      </RowEvents>
      {writing && writing.about === null && <Composer />}
    </>
  )
}
