// The list of conversations, loaded page by page as it is scrolled.

import { question } from './api/cache'
import { asApiError, type ApiError } from './api/client'
import { PageCache } from './api/pageCache'
import { makeStore, useStore } from '../lib/store'
import type { Card, Count, CardList } from './api/types'
import type { Filters } from '../lib/router'

export const STRETCH = 100

export interface Cards {
  filters: Filters | null
  /** Null until the first answer. */
  total: number | null
  stretches: ReadonlyMap<number, readonly Card[]>
  formats: readonly Count[]
  projects: readonly Count[]
  error: ApiError | null
}

const NONE: Cards = { filters: null, total: null, stretches: new Map(), formats: [], projects: [], error: null }
/** Maximum number of pages kept. */
const MOST = 100

const cards = makeStore<Cards>(NONE)
/** The list that is shown, and the one that is being loaded; mostly the same. */
let shown: PageCache<number, CardList> | null = null
let latest: PageCache<number, CardList> | null = null

export function useCards(): Cards {
  return useStore(cards)
}

/** Returns the known part of the list, for code outside of components. */
export function knownCards(): Cards {
  return cards.get()
}

/** Filters the list and drops pending requests. The old list stays until the new one arrives. */
export function show(filters: Filters): void {
  const now = cards.get()
  if (now.filters && same(now.filters, filters)) return
  if (latest !== shown) latest?.close()
  const next = new PageCache<number, CardList>(
    (at) => question<CardList>('/conversations', { ...filters, from: at * STRETCH, limit: STRETCH }),
    MOST,
  )
  latest = next
  cards.set({ ...now, filters })
  next.subscribe(() => take(next))
  next.observe([0])
  // Titles and states may have changed since the last request.
  if (next.get(0)) next.refresh([0])
}

/** Requests the pages of these rows that are not loaded. */
export function need(first: number, last: number): void {
  const { total } = cards.get()
  if (total !== null && shown === latest) shown?.observe(stretchesOf(first, Math.min(last, total - 1)))
}

/** Requests the visible part again, because titles and states change. */
export function refresh(first = 0, last = STRETCH - 1): void {
  const asked = latest === shown ? stretchesOf(first, Math.max(first, last)) : [0]
  latest?.observe(asked, () => true)
  latest?.refresh(asked)
}

function stretchesOf(first: number, last: number): number[] {
  const from = Math.floor(first / STRETCH)
  return Array.from({ length: Math.max(0, Math.floor(last / STRETCH) - from + 1) }, (_, at) => from + at)
}

export function cardAt(known: Cards, index: number): Card | undefined {
  return known.stretches.get(Math.floor(index / STRETCH))?.[index % STRETCH]
}

/** Updates a card with data from elsewhere, for example after an edit. */
export function patchCard(cid: string, part: Partial<Card>): void {
  const index = indexOf(cards.get(), cid)
  if (index < 0) return
  const change = (listed: CardList): CardList => ({
    ...listed,
    cards: listed.cards.map((card) => (card.cid === cid ? { ...card, ...part } : card)),
  })
  shown?.update(Math.floor(index / STRETCH), change)
}

/** Returns the index of a conversation in the list, or -1 if unknown. */
export function indexOf(known: Cards, cid: string | null): number {
  if (cid === null) return -1
  for (const [at, stretch] of known.stretches) {
    const within = stretch.findIndex((card) => card.cid === cid)
    if (within >= 0) return at * STRETCH + within
  }
  return -1
}

/** Returns the conversation some steps further in the list; without a starting one, the first. */
export function neighbourOf(cid: string | null, step: number): Card | undefined {
  const known = cards.get()
  const at = indexOf(known, cid)
  return cardAt(known, at < 0 ? (step > 0 ? 0 : -1) : at + step)
}

function same(a: Filters, b: Filters): boolean {
  return a.format === b.format && a.project === b.project && a.text === b.text && a.sort === b.sort
}

/** Shows the current data of a list. A different total means that rows moved: then only the newest answer is valid. */
function take(list: PageCache<number, CardList>): void {
  if (list !== latest) return
  const newest = list.newest()
  const error = list.error === null ? null : asApiError(list.error)
  if (!newest) return void (error && cards.set((now) => ({ ...now, error })))
  const { total } = newest
  if (shown === list && total !== cards.get().total) {
    list.drop(() => true)
    list.refresh([...list].filter(([, listed]) => listed.total !== total).map(([at]) => at))
  }
  if (shown !== list) shown?.close()
  shown = list
  const stretches = new Map(
    [...list].filter(([, listed]) => listed.total === total).map(([at, one]) => [at, one.cards]),
  )
  cards.set((now) => ({ ...now, total, stretches, formats: newest.formats, projects: newest.projects, error }))
}
