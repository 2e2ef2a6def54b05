// Live updates of the open conversation: its file grows, or another window edits or saves it.

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

/** `idle`: listening; `growing`: it grew a moment ago. */
export type LiveDot = 'off' | 'idle' | 'growing'

const listening = makeStore(false)
/** Minimum interval for requesting related data while a file grows. */
const REST = 2000
const GROWING = 6000

export function useLiveDot(): LiveDot {
  const growing = useLocal((local) => local.growing) ?? false
  return !useStore(listening) ? 'off' : growing ? 'growing' : 'idle'
}

/** Listens while the conversation is shown, starting from its known state. */
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
    // The answer to a change of this window may arrive before the event of an earlier change.
    if (open.left || changed.log < (open.data?.log ?? 0)) return
    // The new state may have been loaded before its event arrived; it is not announced yet.
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

/** Shows that it was forgotten instead of its content, and updates the list. */
export function markForgotten(open: OpenConversation): void {
  open.set({ forgotten: true, growing: false, writing: null, moveMode: null })
  dismissToasts(open.cid)
  refreshCards()
}

type Before = Pick<ConversationChanged, 'leaf' | 'messages'>

function beforeOf({ data }: OpenConversation): Before {
  return { leaf: data?.leaf ?? null, messages: data?.messages ?? 0 }
}

/** Applies an event immediately and requests the rest: at once after an edit, with a delay if the file grows. */
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

/** The reader stays on the same branch; new messages on another one are announced. */
function keepPlace(open: OpenConversation, { forked, leaf, messages }: ConversationChanged, before: Before): void {
  const named = currentRoute().leaf
  const more = messages - before.messages
  if (forked && named === null && !open.local.getState().follow) {
    open.stayOn(before.leaf)
    announce(open, more)
  } else if (named !== null && leaf !== null && leaf !== before.leaf) void joinOrAnnounce(open, named, leaf, more)
}

/** If the shown branch continues as the current one, shows that; else announces the new messages. */
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
