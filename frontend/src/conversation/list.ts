// The list that is shown: the rows of a branch, at first only its end.

import { useEffect, useRef, useState } from 'react'
import { get, isAbort, path } from '../api/client'
import type { Place, Row, Rows, Tail } from '../api/types'
import { showLeaf, useCurrent, type Current } from '../shell/current'
import { toast } from '../shell/Toast'
import { aim, aimed, rowOf } from './aim'
import { PAGE, Pages, type Fetch } from './pages'
import { nearestTo } from './seek'

export interface List {
  /** The same list as long as this is the same; it may grow and be edited. */
  key: string
  /** The branch, however it is narrowed. */
  branch: string
  pages: Pages
  /** How many rows it had when it was opened; rows are known to the list by how far they are from there. */
  base: number
  /** Whether only the end is there yet. */
  tail: boolean
  filtered: boolean
}

const TAIL = 40

/** The rows of the branch that is shown, narrowed by `show`; null until something is there. While another
    branch is on its way the last one stays, and `pending` says so. */
export function useList(show: string): { list: List | null; pending: boolean } {
  const current = useCurrent()
  const { cid, leaf, stamp, conversation } = current
  const [list, setList] = useState<List | null>(null)
  const latest = useRef(list)
  latest.current = list
  const key = cid === null ? '' : keyOf(current, show)

  useEffect(() => {
    if (!cid || conversation || leaf || current.selected || show) return
    const control = new AbortController()
    void tailOf(cid, key, control.signal).then((tail) => {
      // The whole list may have been faster.
      if (tail && !control.signal.aborted) setList((now) => (now?.key === key ? now : tail))
    })
    return () => control.abort()
    // Only when another conversation is opened: what comes later is for the full list.
  }, [cid])

  const known = conversation !== null && leaf !== null && stamp !== null
  useEffect(() => {
    if (!known || (latest.current?.key === key && !latest.current.tail)) return
    const control = new AbortController()
    void opened(current, key, show, latest.current, control.signal).then((next) => {
      if (next && !control.signal.aborted) setList(next)
    })
    return () => control.abort()
  }, [key, known])

  useEffect(() => {
    const now = latest.current
    if (!now || now.key !== key || now.tail || !conversation || !stamp) return
    const whole = leaf === conversation.leaf && !show
    now.pages.renew(stamp, whole ? conversation.rows : now.pages.total)
  }, [stamp, conversation, key])

  useEffect(() => () => list?.pages.close(), [list])
  const shown = list && list.key.startsWith(`${cid} `) ? list : null
  return { list: shown, pending: shown?.key !== key }
}

/** The current branch stays the same list when it grows, though its last message is another one then. */
function branchOf({ cid, leaf, conversation }: Current): string {
  return `${cid} ${leaf === null || leaf === conversation?.leaf ? '' : leaf}`
}

function keyOf(current: Current, show: string): string {
  return `${branchOf(current)} ${show}`
}

async function tailOf(cid: string, key: string, signal: AbortSignal): Promise<List | null> {
  try {
    const tail = await get<Tail>(path`/c/${cid}/tail`, { limit: TAIL }, signal)
    const total = tail.rows.length
    const pages = new Pages(() => new Promise(() => undefined), total, '')
    pages.seed(tail.rows.map((row, index) => [index, row]))
    return { key, branch: key.trimEnd(), pages, base: total, tail: true, filtered: false }
  } catch {
    // The list itself tells what is wrong.
    return null
  }
}

async function opened(current: Current, key: string, show: string, last: List | null, signal: AbortSignal): Promise<List | null> {
  const { cid, leaf, stamp, conversation } = current
  if (!cid || !leaf || !stamp || !conversation) return null
  const sameBranch = last !== null && !last.tail && last.branch === branchOf(current)
  if (!sameBranch && !(await placed(current, signal))) return null
  const onCurrent = leaf === conversation.leaf
  // Without a leaf the server shows the current branch, also when it grew since.
  const fetch = (from: number, limit: number, abort: AbortSignal) =>
    get<Rows>(path`/c/${cid}/rows`, { leaf: onCurrent ? null : leaf, from, limit, show }, abort)
  const here = last?.key.startsWith(`${cid} `) ? last : null
  if (onCurrent && !show && (!here || here.tail)) {
    const pages = new Pages(fetch, conversation.rows, stamp)
    if (here?.tail) pages.seed(shifted(here, conversation.rows))
    return { key, branch: branchOf(current), pages, base: conversation.rows, tail: false, filtered: false }
  }
  const number = sameBranch && !aimed() ? numberOf(last, current.selected) : -1
  if (number >= 0 && !show) aim({ kind: 'row', index: number })
  if (number >= 0 && show) {
    const list = await around(fetch, number, stamp, key, signal)
    return list && { ...list, branch: branchOf(current) }
  }
  const guess = aimed()?.kind === 'same' || aimed()?.kind === 'row' ? rowOf(aimed(), Infinity) : 0
  const list = await begun(fetch, guess, stamp, key, show !== '', signal)
  return list && { ...list, branch: branchOf(current) }
}

/** A message that the address names: the list opens there; false if it is on another branch, which is shown then. */
async function placed({ cid, leaf, selected }: Current, signal: AbortSignal): Promise<boolean> {
  if (!selected || !cid || aimed()) return true
  try {
    const place = await get<Place>(path`/c/${cid}/place`, { id: selected, leaf }, signal)
    aim({ kind: 'row', index: place.number })
    if (place.leaf === leaf) return true
    showLeaf(place.leaf, place.id)
    return false
  } catch (error) {
    if (isAbort(error)) return false
    toast('That message is not here any more.', 'warning')
    return true
  }
}

function numberOf(list: List, id: string | null): number {
  return id === null ? -1 : (list.pages.row(list.pages.find(id))?.number ?? -1)
}

/** A filtered list, opened near the row that was pointed at. */
async function around(fetch: Fetch, number: number, stamp: string, key: string, signal: AbortSignal): Promise<List | null> {
  const list = await begun(fetch, 0, stamp, key, true, signal)
  if (list?.pages.total) aim({ kind: 'row', index: await nearestTo(list.pages, number) })
  return list
}

/** The rows around where the reader will be are fetched first, so that the list never shows nothing. */
async function begun(
  fetch: Fetch,
  guess: number,
  stamp: string,
  key: string,
  filtered: boolean,
  signal: AbortSignal,
): Promise<List | null> {
  try {
    const from = Math.floor(guess / PAGE) * PAGE
    let first = await fetch(from, PAGE, signal)
    let start = from
    const wanted = Math.floor(rowOf(aimed(), first.total) / PAGE) * PAGE
    if (wanted !== from && first.total > 0) [start, first] = [wanted, await fetch(wanted, PAGE, signal)]
    const pages = new Pages(fetch, first.total, stamp)
    pages.put(start, first)
    return { key, branch: '', pages, base: first.total, tail: false, filtered }
  } catch (error) {
    if (isAbort(error)) return null
    const pages = new Pages(fetch, 0, stamp)
    pages.error = error
    return { key, branch: '', pages, base: 0, tail: false, filtered }
  }
}

function shifted(tail: List, total: number): [number, Row][] {
  const rows: [number, Row][] = []
  for (let index = 0; index < tail.pages.total; index++) {
    const row = tail.pages.row(index)
    if (row) rows.push([total - tail.pages.total + index, { ...row, number: total - tail.pages.total + index }])
  }
  return rows
}
