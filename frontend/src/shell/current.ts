// The conversation that is open, and where in it the reader is.

import { asApiError, get, path, type ApiError } from '../api/client'
import { invalidate, onInvalidate } from '../api/cache'
import { makeStore, useStore } from '../api/store'
import type { Changed, Conversation, Edited } from '../api/types'
import { currentRoute, go, isLeaving, type Route } from './router'

export interface Current {
  cid: string | null
  conversation: Conversation | null
  /** The branch that is shown. */
  leaf: string | null
  /** The message that is pointed at. */
  selected: string | null
  stamp: string | null
  /** Whether to go along when it grows. */
  follow: boolean
  loading: boolean
  error: ApiError | null
  /** How many edits were made here: what the last one is about is to be seen. */
  edits: number
}

const NOTHING: Current = {
  cid: null, conversation: null, leaf: null, selected: null, stamp: null, follow: false, loading: false, error: null, edits: 0,
}
const ADDRESS_AFTER = 150

const current = makeStore<Current>(NOTHING)
let asking: AbortController | null = null
let addressTimer: ReturnType<typeof setTimeout> | undefined
/** The route that says what we have already; the reader may be further by the time it is heard of. */
let written: Route | null = null

export function useCurrent(): Current {
  return useStore(current)
}

/** What is open, for code outside of components. */
export function getCurrent(): Current {
  return current.get()
}

function change(part: Partial<Current>): void {
  current.set((now) => ({ ...now, ...part }))
}

/** Follows the address: opens what it names. */
export function openRoute(route: Route): void {
  if (route === written) return
  const now = current.get()
  if (route.cid === null) {
    asking?.abort()
    current.set(NOTHING)
  } else if (route.cid !== now.cid) {
    current.set({ ...NOTHING, cid: route.cid, leaf: route.leaf, selected: route.message, loading: true })
    void load()
  } else {
    const leaf = route.leaf ?? now.conversation?.leaf ?? null
    if (leaf !== now.leaf || route.message !== now.selected) change({ leaf, selected: route.message })
  }
}

/** Points at a message. */
export function select(id: string | null): void {
  if (current.get().selected === id) return
  change({ selected: id })
  writeAddress()
}

/** Shows another branch, and points at one of its messages. */
export function showLeaf(leaf: string, id?: string | null): void {
  change({ leaf, selected: id === undefined ? current.get().selected : id })
  writeAddress()
}

export function setFollow(follow: boolean): void {
  change({ follow })
}

/** It grew: takes over what is known now, without asking for all of it. */
export function grown(changed: Changed): void {
  const { conversation, leaf } = current.get()
  if (!conversation) return
  const atCurrent = leaf === conversation.leaf
  change({
    stamp: changed.stamp,
    leaf: atCurrent ? changed.leaf : leaf,
    conversation: { ...conversation, stamp: changed.stamp, leaf: changed.leaf, rows: changed.rows, messages: changed.messages, size: changed.size, last: changed.last, live: true },
  })
}

/** Asks for it again; after an edit shows the branch and the message that it made. */
export async function reload(edited?: Partial<Edited>): Promise<void> {
  const { cid } = current.get()
  if (cid === null) return
  if (edited?.leaf) change({ leaf: edited.leaf })
  if (edited?.id) change({ selected: edited.id })
  if (edited?.stamp) change({ stamp: edited.stamp })
  await load()
  invalidate(path`/c/${cid}`)
  invalidate('/conversations')
  if (!edited) return
  change({ edits: current.get().edits + 1 })
  writeAddress()
}

async function load(): Promise<void> {
  const { cid } = current.get()
  if (cid === null) return
  asking?.abort()
  const mine = (asking = new AbortController())
  change({ loading: true })
  try {
    const conversation = await get<Conversation>(path`/c/${cid}`, undefined, mine.signal)
    if (asking !== mine) return
    const leaf = current.get().leaf ?? conversation.leaf
    change({ conversation, leaf, stamp: conversation.stamp, loading: false, error: null })
  } catch (error) {
    if (asking === mine) change({ loading: false, error: asApiError(error) })
  }
}

// All is forgotten when the server was away: then what is open is asked for again too.
onInvalidate((prefix) => {
  if (prefix === '/') void load()
})

/** A little later, as the reader may go on, and browsers take only so many changes of the address. */
function writeAddress(): void {
  clearTimeout(addressTimer)
  addressTimer = setTimeout(() => {
    const { cid, conversation, leaf, selected } = current.get()
    if (cid === null || currentRoute().cid !== cid || isLeaving()) return
    const named = leaf && leaf !== conversation?.leaf ? leaf : null
    go({ cid, message: selected, leaf: named }, { replace: true })
    written = currentRoute()
  }, ADDRESS_AFTER)
}
