// What the server said, by question. TanStack Query is its one owner; this file is how the rest of the page
// speaks to it: by the path that is asked for.

import { CancelledError, QueryClient, type FetchQueryOptions, type Query } from '@tanstack/react-query'
import { get, path, post, type Params } from './client'
import type { ConversationDetails, HistoryState, MessagePlace } from './types'

/** Answers stay true until something says otherwise: an edit, an event, or the server that was away. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 300_000,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
  },
})

export type Key = readonly [where: string, params: Record<string, unknown>]
/** The length of such a key. The key of an answer about one revision of a conversation ends with that revision. */
const UNVERSIONED = 2

/** A question as a key: by what it asks, not by its order; what is empty is not asked. */
export function keyOf(where: string, params?: Params): Key {
  const parts = Object.entries(params ?? {}).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return [where, Object.fromEntries(parts)]
}

/** How a question is asked. */
export function question<T>(where: string, params?: Params) {
  return {
    queryKey: keyOf(where, params),
    queryFn: ({ signal }: { signal: AbortSignal }) => get<T>(where, params, signal),
  }
}

/** A question whose words are in its body: what is looked for in a conversation does not belong into an address. */
export function posedQuestion<T>(where: string, body: object) {
  return {
    queryKey: [where, body] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => post<T>(where, body, signal),
  }
}

/** What is known now. */
export function peek<T>(where: string, params?: Params): T | undefined {
  return queries.getQueryData<T>(keyOf(where, params))
}

/** The answer to a question, for code outside of components; what is known is not asked for again. */
export function ask<T>(where: string, params?: Params): Promise<T> {
  return askQuery(question<T>(where, params))
}

/** The same for a question with settings of its own. */
export async function askQuery<T>(asked: FetchQueryOptions<T>): Promise<T> {
  for (;;) {
    try {
      return await queries.fetchQuery(asked)
    } catch (error) {
      // It changed meanwhile, or what looked at it too is gone: the answer is still needed here.
      if (!(error instanceof CancelledError)) throw error
    }
  }
}

/** Answers whose path begins so are old: what is looked at is asked again, the rest when it is needed. */
export function invalidate(prefix: string): void {
  void queries.invalidateQueries({ predicate: (query) => whereOf(query).startsWith(prefix) })
}

/** All that goes with a conversation is old; with `except`, all but some paths. Answers about one revision stay true. */
export function invalidateConversation(cid: string, except: readonly string[] = []): void {
  void queries.invalidateQueries({ predicate: (query) => isOf(cid, query, except) })
}

/** The same after a change: answers on their way are older than it. What is asked for again is what the page looks at once
    it shows the new state; what it began to ask for then is not asked for twice. */
export function renewConversation(cid: string, except: readonly string[]): void {
  const predicate = (query: Query): boolean => isOf(cid, query, except)
  void queries.cancelQueries({ predicate })
  void queries.invalidateQueries({ predicate, refetchType: 'none' })
  setTimeout(() => {
    const isOld = (query: Query): boolean => predicate(query) && query.state.isInvalidated
    void queries.refetchQueries({ predicate: isOld, type: 'active' }, { cancelRefetch: false })
  })
}

function isOf(cid: string, query: Query, except: readonly string[]): boolean {
  const own = path`/c/${cid}`
  const where = whereOf(query)
  if (query.queryKey.length > UNVERSIONED) return false
  return (where === own || where.startsWith(`${own}/`)) && !except.includes(where)
}

/** Takes over a state of a conversation that came with an edit, a save or an event: it is newer than any answer
    that is still on its way. */
export function putConversation(conversation: ConversationDetails, history?: HistoryState): void {
  put(path`/c/${conversation.cid}`, undefined, conversation)
  if (history) put(path`/c/${conversation.cid}/edits`, undefined, history)
}

export function putPlace(cid: string, place: MessagePlace): void {
  put(path`/c/${cid}/place`, { id: place.id, leaf: place.leaf }, place)
}

function put(where: string, params: Params | undefined, data: unknown): void {
  const queryKey = keyOf(where, params)
  void queries.cancelQueries({ queryKey, exact: true })
  queries.setQueryData(queryKey, data)
}

function whereOf(query: Query): string {
  return String(query.queryKey[0])
}
