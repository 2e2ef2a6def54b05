// The conversation in the address, for all components below.

import { createContext, useContext, useEffect, useMemo, type ReactNode } from 'react'
import { useStore as useZustand } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { makeStore, useStore } from '../../lib/store'
import type { ApiError } from '../api/client'
import type { ConversationDetails } from '../api/types'
import { useGet } from '../api/use'
import { currentRoute, onRoute, useRoute } from '../../lib/router'
import { OpenConversation, type Local } from './OpenConversation'

const opened = makeStore<OpenConversation | null>(null)

/** Follows the address immediately: state of the previous conversation is dropped before anything else happens. */
function followAddress(): void {
  const { cid } = currentRoute()
  const now = opened.get()
  if ((now?.cid ?? null) === cid) return
  now?.leave()
  opened.set(cid === null ? null : new OpenConversation(cid))
}

followAddress()
onRoute(followAddress)

const Scope = createContext<OpenConversation | null>(null)

export function ConversationProvider({ children }: { children: ReactNode }) {
  return (
    <ConversationScope open={useStore(opened)}>
      <CurrentBranch />
      {children}
    </ConversationScope>
  )
}

/** Binds its children to one conversation, for example a dialog to the one it was opened for. */
export function ConversationScope({ open, children }: { open: OpenConversation | null; children: ReactNode }) {
  return <Scope.Provider value={open}>{children}</Scope.Provider>
}

/** The current branch is not named in the address; without a name it stays the current branch when it grows. */
function CurrentBranch(): null {
  const open = useMaybeOpen()
  const { leaf, conversation } = useConversation()
  const named = useRoute().leaf
  useEffect(() => {
    if (named !== null && named === conversation?.leaf) open?.showLeaf(named)
  }, [open, named, leaf, conversation])
  return null
}

/** Returns the open conversation, to act on it; null on other pages. */
export function useMaybeOpen(): OpenConversation | null {
  return useContext(Scope)
}

/** Returns the open conversation, in components that only exist while there is one. */
export function useOpen(): OpenConversation {
  const open = useMaybeOpen()
  if (!open) throw new Error('No conversation is open.')
  return open
}

export interface Current {
  cid: string | null
  conversation: ConversationDetails | null
  /** The branch that is shown. */
  leaf: string | null
  /** The selected message. */
  selected: string | null
  stamp: string | null
  /** Whether to scroll along when it grows. */
  follow: boolean
  error: ApiError | null
}

const NOWHERE = createStore<Local | null>(() => null)

/** Returns a part of the page's own state of the open conversation; null on other pages. */
export function useLocal<T>(pick: (local: Local) => T): T | null {
  const open = useMaybeOpen()
  return useZustand(open?.local ?? NOWHERE, (local) => (local === null ? null : pick(local)))
}

/** Returns the server's state of the open conversation, and the reader's place in it. */
export function useConversation(): Current {
  const open = useMaybeOpen()
  const route = useRoute()
  const follow = useLocal((local) => local.follow) ?? false
  const { data, error } = useGet<ConversationDetails>(open?.path ?? null)
  const cid = open?.cid ?? null
  const isHere = cid !== null && route.cid === cid
  const named = isHere ? route.leaf : null
  const selected = isHere ? route.message : null
  return useMemo(() => {
    const conversation = (cid !== null && data) || null
    return {
      cid,
      conversation,
      leaf: named ?? conversation?.leaf ?? null,
      selected,
      stamp: conversation?.stamp ?? null,
      follow,
      error: cid === null ? null : error,
    }
    // oxlint-disable-next-line react/exhaustive-deps -- an error is a new object with every answer
  }, [cid, data, named, selected, follow, error?.message])
}
