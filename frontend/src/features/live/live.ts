// What happens to the open conversation elsewhere, as it happens: its file grows, or another window edits or saves it.

import { useEffect } from 'react'
import { ask, invalidateConversation, putConversation } from '../../data/api/cache'
import { path } from '../../data/api/client'
import { listenTo } from '../../data/api/events'
import { makeStore, useStore } from '../../lib/store'
import type { Changed, Place } from '../../data/api/types'
import { useConversation, useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { patchCard } from '../../data/cards'
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

  const take = (changed: Changed): void => {
    // A change of this window came with its answer, which may be here before the event of a change before it.
    if (open.left || changed.stamp === open.revision || changed.log < (open.data?.log ?? 0)) return
    applyChange(open, changed)
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

/** Takes over what an event says at once; the rest is asked for: at once after an edit, in a while if it grows. */
export function applyChange(open: OpenConversation, changed: Changed): void {
  const known = open.data
  const { cause, stamp, edited, log, leaf, rows, messages, size, last } = changed
  patchCard(open.cid, { edited, messages })
  if (cause !== 'file') dismissToasts(open.cid, 'actions')
  if (!known) return open.refresh()
  const live = known.live || cause === 'file'
  const named = currentRoute().leaf
  const { follow } = open.local.getState()
  const before = { leaf: known.leaf, messages: known.messages }
  putConversation({ ...known, stamp, edited, log, leaf, rows, messages, size, last: last ?? known.last, live })
  if (changed.forked && named === null && !follow) {
    // The reader stays on the branch that was the current one until now.
    open.stayOn(before.leaf)
    announce(open, messages - before.messages)
  } else if (named !== null && leaf !== null && leaf !== before.leaf)
    void joinOrAnnounce(open, named, leaf, messages - before.messages)
  if (cause !== 'file' || rows < known.rows) open.refresh()
}

/** If the branch that is shown goes on as the current one it is shown as that; else what came there is announced. */
async function joinOrAnnounce(open: OpenConversation, shown: string, current: string, more: number): Promise<void> {
  const place = await ask<Place>(path`/c/${open.cid}/place`, { id: shown, leaf: current }).catch(() => null)
  if (open.left || currentRoute().leaf !== shown || open.data?.leaf !== current) return
  if (place?.leaf === current) open.stayOn(current)
  else announce(open, more)
}

function announce(open: OpenConversation, more: number): void {
  const now = open.local.getState().elsewhere?.messages ?? 0
  open.set({ elsewhere: { messages: now + Math.max(0, more) } })
}

function read(data: string): Changed | null {
  try {
    return JSON.parse(data) as Changed
  } catch {
    return null
  }
}
