// The answers of the server, by query. TanStack Query owns them; the rest of the page uses this module, with the
// requested path as the key.

import { CancelledError, QueryClient, type FetchQueryOptions, type Query } from '@tanstack/react-query'
import { get, path, post, type Params } from './client'
import type { ConversationDetails, HistoryState, MessagePlace } from './types'

/** Answers stay valid until an edit, an event, or a lost connection invalidates them. */
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
/** The length of such a key. The key of an answer for one revision of a conversation ends with that revision. */
const UNVERSIONED = 2

/** Returns the key of a query: independent of the order of parameters, without empty ones. */
export function keyOf(where: string, params?: Params): Key {
  const parts = Object.entries(params ?? {}).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return [where, Object.fromEntries(parts)]
}

/** Returns the query options for a path. */
export function question<T>(where: string, params?: Params) {
  return {
    queryKey: keyOf(where, params),
    queryFn: ({ signal }: { signal: AbortSignal }) => get<T>(where, params, signal),
  }
}

/** A query with its parameters in the body: search texts do not belong into an address. */
export function posedQuestion<T>(where: string, body: object) {
  return {
    queryKey: [where, body] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => post<T>(where, body, signal),
  }
}

/** Returns the cached answer. */
export function peek<T>(where: string, params?: Params): T | undefined {
  return queries.getQueryData<T>(keyOf(where, params))
}

/** Returns the answer to a query, for code outside of components; a cached answer is not requested again. */
export function ask<T>(where: string, params?: Params): Promise<T> {
  return askQuery(question<T>(where, params))
}

/** The same for a query with its own options. */
export async function askQuery<T>(asked: FetchQueryOptions<T>): Promise<T> {
  for (;;) {
    try {
      return await queries.fetchQuery(asked)
    } catch (error) {
      // It changed meanwhile, or its last observer is gone: the answer is still needed here.
      if (!(error instanceof CancelledError)) throw error
    }
  }
}

/** Invalidates answers whose path begins with the prefix: observed ones are requested again, the rest when needed. */
export function invalidate(prefix: string): void {
  void queries.invalidateQueries({ predicate: (query) => whereOf(query).startsWith(prefix) })
}

/** Invalidates all answers for a conversation, except for some paths. Answers for one revision stay valid. */
export function invalidateConversation(cid: string, except: readonly string[] = []): void {
  void queries.invalidateQueries({ predicate: (query) => isOf(cid, query, except) })
}

/**
 * The same after a change: pending answers are older than the change. Queries that the page observes in the new state
 * are requested again, but not those that it has requested for it already.
 */
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

/**
 * Stores the state of a conversation that came with an edit, a save or an event: it is newer than any pending answer.
 */
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
