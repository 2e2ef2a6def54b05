// Answers that were given, by question, so that panes can come and go without asking again.

import { asApiError, get, isAbort, type ApiError, type Params } from './client'

export interface Answer<T> {
  data: T | undefined
  error: ApiError | null
  loading: boolean
}

interface Entry {
  where: string
  params: Params | undefined
  answer: Answer<unknown>
  listeners: Set<() => void>
  asking: AbortController | null
  stale: boolean
}

const NOTHING: Answer<never> = { data: undefined, error: null, loading: false }
const KEPT = 200
const entries = new Map<string, Entry>()

export function keyOf(where: string, params?: Params): string {
  const parts = Object.entries(params ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return where + JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What is known now. */
export function peek<T>(key: string | null): Answer<T> {
  return ((key && entries.get(key)?.answer) || NOTHING) as Answer<T>
}

/** Looks at a question: asks it unless a fresh answer is there, and tells when that changes. */
export function watch(key: string, where: string, params: Params | undefined, listener: () => void): () => void {
  const entry = entryOf(key, where, params)
  entry.listeners.add(listener)
  if (entry.stale && !entry.asking) void load(entry)
  return () => {
    entry.listeners.delete(listener)
    if (entry.listeners.size === 0) rest(entry)
  }
}

/** Asks again what is known under a question. */
export function again(key: string): void {
  const entry = entries.get(key)
  if (entry) void load(entry)
}

type Told = (prefix: string) => void
const told = new Set<Told>()

/** For what keeps answers by itself: called with what is to be forgotten. */
export function onInvalidate(listener: Told): () => void {
  told.add(listener)
  return () => told.delete(listener)
}

/** Forgets all answers whose path begins so; what is being looked at is asked again. */
export function invalidate(prefix: string): void {
  for (const listener of [...told]) listener(prefix)
  for (const [key, entry] of [...entries]) {
    if (!entry.where.startsWith(prefix)) continue
    entry.stale = true
    if (entry.listeners.size > 0) void load(entry)
    else entries.delete(key)
  }
}

function entryOf(key: string, where: string, params: Params | undefined): Entry {
  const known = entries.get(key)
  if (known) {
    entries.delete(key)
    entries.set(key, known)
    return known
  }
  const made: Entry = { where, params, answer: { ...NOTHING, loading: true }, listeners: new Set(), asking: null, stale: true }
  entries.set(key, made)
  forgetOldest()
  return made
}

function forgetOldest(): void {
  for (const [key, entry] of entries) {
    if (entries.size <= KEPT) return
    if (entry.listeners.size === 0) entries.delete(key)
  }
}

/** Nobody looks: an answer that is still on its way is not needed. Later, as panes swap places. */
function rest(entry: Entry): void {
  queueMicrotask(() => {
    if (entry.listeners.size > 0 || !entry.asking) return
    entry.asking.abort()
    entry.asking = null
    entry.stale = true
  })
}

async function load(entry: Entry): Promise<void> {
  entry.asking?.abort()
  const asking = new AbortController()
  entry.asking = asking
  entry.stale = false
  tell(entry, { ...entry.answer, loading: true })
  try {
    const data = await get<unknown>(entry.where, entry.params, asking.signal)
    if (entry.asking === asking) settle(entry, { data, error: null, loading: false })
  } catch (error) {
    if (entry.asking !== asking || isAbort(error)) return
    settle(entry, { data: entry.answer.data, error: asApiError(error), loading: false })
    entry.stale = true
  }
}

function settle(entry: Entry, answer: Answer<unknown>): void {
  entry.asking = null
  tell(entry, answer)
}

function tell(entry: Entry, answer: Answer<unknown>): void {
  entry.answer = answer
  for (const listener of [...entry.listeners]) listener()
}
