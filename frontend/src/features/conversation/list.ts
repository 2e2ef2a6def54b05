// The list that is shown: the rows of a branch, at first only its end.

import { useEffect, useRef, useState } from 'react'
import { ask } from '../../data/api/cache'
import { ApiError, path } from '../../data/api/client'
import type { ConversationDetails, MessagePlace, Row, BranchTail } from '../../data/api/types'
import { aim, rowOf, taken, type Aim } from '../../data/conversation/aim'
import { useConversation, useOpen, type Current } from '../../data/conversation/ConversationProvider'
import type { LastPlace } from '../../data/conversation/lastPlaces'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { toast } from '../../ui/Toast'
import { PAGE, Pages, type Branch } from './pages'
import { nearestTo } from './seek'

export interface List {
  /** The list is the same as long as this key is; it may grow and be edited. */
  key: string
  /** The branch, with any filter. */
  branch: string
  pages: Pages
  /** Number of rows when it was opened; list keys are distances from this. */
  base: number
  /** Whether only the end is loaded yet. */
  tail: boolean
  filtered: boolean
  /** Where it opens; by default at the end. */
  aim: Aim | null
  /** The selection when that was decided. */
  selected: string | null
}

const TAIL = 40
/** Shown once, for any search that failed. */
export const NOT_HERE = 'That message is not here any more.'

/**
 * Returns the rows of the shown branch, filtered by `show`; null until some are loaded. While another branch is being
 * loaded, the last one stays and `pending` is true.
 */
export function useList(show: string): { list: List | null; pending: boolean } {
  const open = useOpen()
  const current = useConversation()
  const { cid, leaf, stamp, conversation } = current
  const [list, setList] = useState<List | null>(null)
  const [attempt, setAttempt] = useState(0)
  const latest = useRef(list)
  latest.current = list
  const key = cid === null ? '' : keyOf(current, show)

  useEffect(() => {
    if (!cid || conversation || leaf || current.selected || show || open.last) return
    const control = new AbortController()
    void tailOf(cid, key).then((tail) => {
      // The whole list may have arrived first.
      if (tail && !control.signal.aborted) setList((now) => (now?.key === key ? now : tail))
    })
    return () => control.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- only when another conversation is opened
  }, [cid])

  const known = conversation !== null && leaf !== null && stamp !== null
  useEffect(() => {
    if (!known || (latest.current?.key === key && !latest.current.tail)) return
    const control = new AbortController()
    void opened(open, current, key, show, latest.current, control.signal).then((next) => {
      if (control.signal.aborted) return
      if (next) setList(next)
      // Another branch was about to be shown, but it is the current one by now: only the key changes.
      else if (keyOf({ cid, leaf: open.leaf, conversation: open.data }, show) === key) setAttempt((now) => now + 1)
    })
    return () => control.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- the key names all that the list depends on
  }, [key, known, attempt])

  useEffect(() => {
    const now = latest.current
    if (!now || now.key !== key || now.tail || !conversation || !stamp) return
    const whole = leaf === conversation.leaf && !show
    now.pages.renew(stamp, whole ? conversation.rows : now.pages.total)
    // oxlint-disable-next-line react/exhaustive-deps -- the key names branch and filters
  }, [stamp, conversation, key])

  useEffect(() => {
    const stop = list?.pages.subscribe(() => isGone(open, list) && showCurrent(open))
    return () => (stop?.(), list?.pages.close())
  }, [open, list])
  const shown = list && list.key.startsWith(`${cid} `) ? list : null
  return { list: shown, pending: shown?.key !== key }
}

type Shown = Pick<Current, 'cid' | 'leaf' | 'conversation'>

/** The current branch stays the same list when it grows, though its last message changes. */
function branchOf({ cid, leaf, conversation }: Shown): string {
  return `${cid} ${leaf === null || leaf === conversation?.leaf ? '' : leaf}`
}

function keyOf(current: Shown, show: string): string {
  return `${branchOf(current)} ${show}`
}

async function tailOf(cid: string, key: string): Promise<List | null> {
  try {
    const tail = await ask<BranchTail>(path`/c/${cid}/tail`, { limit: TAIL })
    const total = tail.rows.length
    const pages = new Pages(null, total, '')
    pages.seed(tail.rows.map((row, index) => [index, row]))
    return { key, branch: key.trimEnd(), pages, base: total, tail: true, filtered: false, aim: null, selected: null }
  } catch {
    // The list itself reports the error.
    return null
  }
}

async function opened(
  open: OpenConversation,
  current: Current,
  key: string,
  show: string,
  before: List | null,
  signal: AbortSignal,
): Promise<List | null> {
  const { cid, leaf, stamp, conversation } = current
  if (!cid || !leaf || !stamp || !conversation) return null
  const branch = branchOf(current)
  const here = before?.key.startsWith(`${cid} `) ? before : null
  const stays = here && !here.tail && here.branch === branch ? here : null
  let at = taken(open)
  let isMissing = false
  const last = open.last
  open.last = null
  if (last && !at && !open.selected && leaf === conversation.leaf) {
    const place = await placedLast(open, last, conversation, signal)
    if (place === 'elsewhere') return null
    at = place
  }
  if (!at && !stays) {
    const place = await placed(open, leaf, signal)
    if (place === 'elsewhere') return null
    at = place === 'missing' ? null : place
    isMissing = place === 'missing'
  }
  const { selected } = open
  const onCurrent = leaf === conversation.leaf
  // Without a leaf the server returns the current branch, also when it has grown.
  const rows: Branch = { cid, leaf: onCurrent ? null : leaf, show }
  const made = { key, branch, tail: false, filtered: show !== '', selected }
  if (onCurrent && isMissing) sayMissing(open)
  if (onCurrent && !show && (!here || here.tail)) {
    const pages = new Pages(rows, conversation.rows, stamp)
    if (here?.tail) pages.seed(shifted(here, conversation.rows))
    return { ...made, pages, base: conversation.rows, aim: at }
  }
  const number = stays && !at ? numberOf(stays, selected) : -1
  if (number >= 0 && !show) at = { kind: 'row', index: number }
  const pages = await begun(rows, at, stamp)
  if (signal.aborted) return null
  if (isGone(open, { pages })) return (showCurrent(open), null)
  if (!onCurrent && isMissing) sayMissing(open)
  if (number >= 0 && show && pages.total) at = { kind: 'row', index: await nearestTo(pages, number) }
  return { ...made, pages, base: pages.total, aim: at }
}

/** Returns the reader's last place in the conversation; null if that does not exist any more. */
async function placedLast(
  open: OpenConversation,
  last: LastPlace,
  conversation: ConversationDetails,
  signal: AbortSignal,
): Promise<Aim | null | 'elsewhere'> {
  if (last.path !== conversation.path) return null
  const leaf = last.leaf ?? conversation.leaf
  try {
    const place = await ask<MessagePlace>(path`/c/${open.cid}/place`, { id: last.id, leaf })
    if (signal.aborted) return 'elsewhere'
    if (open.selected !== null) return null
    const at: Aim = { kind: 'row', index: place.number, quiet: !last.selected }
    if (place.leaf === conversation.leaf) return at
    open.showLeaf(place.leaf, last.selected ? place.id : null)
    if (open.leaf !== place.leaf) return null
    aim(open, at)
    return 'elsewhere'
  } catch {
    return signal.aborted ? 'elsewhere' : null
  }
}

/** Returns the place of the selected message; if it is on another branch, shows that one instead. */
async function placed(
  open: OpenConversation,
  leaf: string,
  signal: AbortSignal,
): Promise<Aim | null | 'elsewhere' | 'missing'> {
  const { selected } = open
  if (selected === null) return null
  try {
    const place = await ask<MessagePlace>(path`/c/${open.cid}/place`, { id: selected, leaf })
    if (signal.aborted) return 'elsewhere'
    if (open.selected !== selected) return placed(open, leaf, signal)
    const at: Aim = { kind: 'row', index: place.number }
    if (place.leaf === leaf) return at
    open.showLeaf(place.leaf, place.id)
    if (open.leaf !== place.leaf) {
      // The browser has navigated already; the page gets the event in a moment.
      await new Promise((resolve) => setTimeout(resolve))
      return placed(open, leaf, signal)
    }
    aim(open, at)
    return 'elsewhere'
  } catch {
    return signal.aborted ? 'elsewhere' : 'missing'
  }
}

function sayMissing(open: OpenConversation): void {
  toast(NOT_HERE, 'warning', { conversation: open.cid })
}

/** Whether the branch in the address does not exist any more, for example after an undo. */
function isGone(open: OpenConversation, { pages }: { pages: Pages }): boolean {
  const { error, branch } = pages
  return (
    error instanceof ApiError && error.status === 404 && !!branch && branch.leaf !== null && branch.leaf === open.leaf
  )
}

function showCurrent(open: OpenConversation): void {
  toast('That branch is not here any more. This is the current one.', 'warning', { conversation: open.cid })
  open.showLeaf(null)
}

function numberOf(list: List, id: string | null): number {
  return id === null ? -1 : (list.pages.row(list.pages.find(id))?.number ?? -1)
}

/** Loads the rows around the target first, so that the list is never empty. */
async function begun(branch: Branch, at: Aim | null, stamp: string): Promise<Pages> {
  const pages = new Pages(branch, 0, stamp)
  const guess = at?.kind === 'row' || at?.kind === 'same' ? at.index : 0
  await pages.open(guess)
  const wanted = rowOf(at, pages.total)
  if (pages.total > 0 && Math.floor(wanted / PAGE) !== Math.floor(guess / PAGE)) await pages.open(wanted)
  return pages
}

function shifted(tail: List, total: number): [number, Row][] {
  const rows: [number, Row][] = []
  for (let index = 0; index < tail.pages.total; index++) {
    const row = tail.pages.row(index)
    if (row) rows.push([total - tail.pages.total + index, { ...row, number: total - tail.pages.total + index }])
  }
  return rows
}
