// The list of conversations, asked for in stretches as it is looked at.

import { asApiError, get, isAbort, type ApiError } from './api/client'
import { makeStore, useStore } from '../lib/store'
import type { Card, Count, Listed } from './api/types'
import type { Filters } from '../lib/router'

export const STRETCH = 100

export interface Cards {
  filters: Filters | null
  /** None until the first answer. */
  total: number | null
  stretches: ReadonlyMap<number, readonly Card[]>
  formats: readonly Count[]
  projects: readonly Count[]
  error: ApiError | null
}

const NONE: Cards = { filters: null, total: null, stretches: new Map(), formats: [], projects: [], error: null }

const cards = makeStore<Cards>(NONE)
const asking = new Map<number, AbortController>()

export function useCards(): Cards {
  return useStore(cards)
}

/** What is known of the list, for code outside of components. */
export function knownCards(): Cards {
  return cards.get()
}

/** Narrows the list: what was asked before is of no use. The old list stays until the new one is there. */
export function show(filters: Filters): void {
  const now = cards.get()
  if (now.filters && same(now.filters, filters)) return
  stop()
  cards.set({ ...now, filters })
  void ask(0, true)
}

/** Asks for the stretches of these rows, as far as they are not known. */
export function need(first: number, last: number): void {
  const { stretches, total } = cards.get()
  if (total === null) return
  for (let at = Math.floor(first / STRETCH); at <= Math.floor(Math.min(last, total - 1) / STRETCH); at++) {
    if (!stretches.has(at) && !asking.has(at)) void ask(at, false)
  }
}

/** Asks again for what is looked at, as titles and states change. */
export function refresh(first = 0, last = STRETCH - 1): void {
  if (!cards.get().filters) return
  const from = Math.floor(first / STRETCH)
  for (let at = from; at <= Math.max(from, Math.floor(last / STRETCH)); at++) void ask(at, false)
}

export function cardAt(known: Cards, index: number): Card | undefined {
  return known.stretches.get(Math.floor(index / STRETCH))?.[index % STRETCH]
}

/** What is known of a conversation from elsewhere, as after an edit. */
export function patchCard(cid: string, part: Partial<Card>): void {
  const now = cards.get()
  const index = indexOf(now, cid)
  const card = index < 0 ? undefined : cardAt(now, index)
  if (!card) return
  const at = Math.floor(index / STRETCH)
  const patched = (now.stretches.get(at) ?? []).map((one) => (one === card ? { ...card, ...part } : one))
  cards.set({ ...now, stretches: new Map(now.stretches).set(at, patched) })
}

/** Where a conversation stands in the list, as far as that is known. */
export function indexOf(known: Cards, cid: string | null): number {
  if (cid === null) return -1
  for (const [at, stretch] of known.stretches) {
    const within = stretch.findIndex((card) => card.cid === cid)
    if (within >= 0) return at * STRETCH + within
  }
  return -1
}

/** The conversation so many steps further in the list; from nowhere its first. */
export function neighbourOf(cid: string | null, step: number): Card | undefined {
  const known = cards.get()
  const at = indexOf(known, cid)
  return cardAt(known, at < 0 ? (step > 0 ? 0 : -1) : at + step)
}

function same(a: Filters, b: Filters): boolean {
  return a.format === b.format && a.project === b.project && a.text === b.text && a.sort === b.sort
}

function stop(): void {
  for (const one of asking.values()) one.abort()
  asking.clear()
}

async function ask(at: number, fresh: boolean): Promise<void> {
  const { filters } = cards.get()
  if (!filters) return
  asking.get(at)?.abort()
  const mine = new AbortController()
  asking.set(at, mine)
  try {
    const listed = await get<Listed>('/conversations', { ...filters, from: at * STRETCH, limit: STRETCH }, mine.signal)
    if (asking.get(at) !== mine) return
    asking.delete(at)
    take(at, listed, fresh)
  } catch (error) {
    if (isAbort(error) || asking.get(at) !== mine) return
    asking.delete(at)
    cards.set((now) => ({ ...now, error: asApiError(error) }))
  }
}

/** Another total means that rows moved: only what was just asked for is sure. */
function take(at: number, listed: Listed, fresh: boolean): void {
  cards.set((now) => {
    const moved = fresh || listed.total !== now.total
    const stretches = new Map(moved ? [] : now.stretches)
    stretches.set(at, listed.cards)
    return { ...now, total: listed.total, stretches, formats: listed.formats, projects: listed.projects, error: null }
  })
}
