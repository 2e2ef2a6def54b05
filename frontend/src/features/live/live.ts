// What happens to the open conversation elsewhere, as it happens: its file grows, or another window edits or saves it.

import { useEffect } from 'react'
import { ask, invalidateConversation, putConversation } from '../../data/api/cache'
import { path } from '../../data/api/client'
import { listenTo } from '../../data/api/events'
import { makeStore, useStore } from '../../lib/store'
import type { ConversationChanged, MessagePlace } from '../../data/api/types'
import { useConversation, useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { patchCard, refresh as refreshCards } from '../../data/cards'
import { currentRoute } from '../../lib/router'
import { dismissToasts } from '../../ui/Toast'

/** `idle`: it is listened to; `growing`: it grew a moment ago. */
export type LiveDot = 'off' | 'idle' | 'growing'

const listening = makeStore(false)
/** While a file grows, what goes with it is asked for again at most this often. */
const REST = 2000
const GROWING = 6000

export function useLiveDot(): LiveDot {
  const growing = useLocal((local) => local.growing) ?? false
  return !useStore(listening) ? 'off' : growing ? 'growing' : 'idle'
}

/** Listens while the conversation is shown, from the state on that is known of it. */
export function useLive(open: OpenConversation): void {
  const isKnown = useConversation().conversation !== null
  useEffect(() => (isKnown ? listen(open) : undefined), [open, isKnown])
}

function listen(open: OpenConversation): () => void {
  let rest: ReturnType<typeof setTimeout> | undefined
  let calm: ReturnType<typeof setTimeout> | undefined
  const stop = listenTo(path`/c/${open.cid}/live`, () => ({ stamp: open.revision }), {
    onEvent: (_name, data) => {
      const changed = read(data)
      if (changed) void open.settled().then(() => take(changed))
    },
    onOpen: () => listening.set(true),
    onLost: () => listening.set(false),
  })

  /** The state of the previous event, or the initial one. */
  let last: Before = beforeOf(open)
  const take = (changed: ConversationChanged): void => {
    if (changed.cause === 'forgotten') return markForgotten(open)
    const before = last
    last = changed
    // A change of this window came with its answer, which may be here before the event of a change before it.
    if (open.left || changed.log < (open.data?.log ?? 0)) return
    // The new state may have been fetched before its event came; it is not announced yet.
    if (changed.stamp !== open.revision) applyChange(open, changed)
    else if (changed.cause === 'file') keepPlace(open, changed, before)
    else return
    if (changed.cause !== 'file') return
    open.set({ growing: true })
    clearTimeout(calm)
    calm = setTimeout(() => open.set({ growing: false }), GROWING)
    rest ??= setTimeout(() => ((rest = undefined), invalidateConversation(open.cid)), REST)
  }
  return () => {
    stop()
    clearTimeout(rest)
    clearTimeout(calm)
    listening.set(false)
  }
}

/** Says that it is gone instead of showing it; the list has one conversation less. */
export function markForgotten(open: OpenConversation): void {
  open.set({ forgotten: true, growing: false, writing: null, moveMode: null })
  dismissToasts(open.cid)
  refreshCards()
}

type Before = Pick<ConversationChanged, 'leaf' | 'messages'>

function beforeOf({ data }: OpenConversation): Before {
  return { leaf: data?.leaf ?? null, messages: data?.messages ?? 0 }
}

/** Takes over what an event says at once; the rest is asked for: at once after an edit, in a while if it grows. */
export function applyChange(open: OpenConversation, changed: ConversationChanged): void {
  const before = beforeOf(open)
  const known = open.data
  const { cause, stamp, edited, log, leaf, rows, messages, size, last } = changed
  patchCard(open.cid, { edited, messages })
  if (cause !== 'file') dismissToasts(open.cid, 'actions')
  if (!known) return open.refresh()
  const live = known.live || cause === 'file'
  putConversation({ ...known, stamp, edited, log, leaf, rows, messages, size, last: last ?? known.last, live })
  keepPlace(open, changed, before)
  if (cause !== 'file' || rows < known.rows) open.refresh()
}

/** The reader stays on the branch that they read; what came on another one is announced. */
function keepPlace(open: OpenConversation, { forked, leaf, messages }: ConversationChanged, before: Before): void {
  const named = currentRoute().leaf
  const more = messages - before.messages
  if (forked && named === null && !open.local.getState().follow) {
    open.stayOn(before.leaf)
    announce(open, more)
  } else if (named !== null && leaf !== null && leaf !== before.leaf) void joinOrAnnounce(open, named, leaf, more)
}

/** If the branch that is shown goes on as the current one it is shown as that; else what came there is announced. */
async function joinOrAnnounce(open: OpenConversation, shown: string, current: string, more: number): Promise<void> {
  const place = await ask<MessagePlace>(path`/c/${open.cid}/place`, { id: shown, leaf: current }).catch(() => null)
  if (open.left || currentRoute().leaf !== shown || open.data?.leaf !== current) return
  if (place?.leaf === current) open.stayOn(current)
  else announce(open, more)
}

function announce(open: OpenConversation, more: number): void {
  const now = open.local.getState().elsewhere?.messages ?? 0
  open.set({ elsewhere: { messages: now + Math.max(0, more) } })
}

function read(data: string): ConversationChanged | null {
  try {
    return JSON.parse(data) as ConversationChanged
  } catch {
    return null
  }
}
