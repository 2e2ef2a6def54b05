// The rows that are at hand: pages of a long list, fetched when they come into view, a bounded number of them.

import type { Row, Rows } from '../../data/api/types'

export const PAGE = 50
/** Pages that are kept; what was not seen for the longest time goes first. */
export const MOST_PAGES = 60

/** Gets a stretch of rows. */
export type Fetch = (from: number, limit: number, signal: AbortSignal) => Promise<Rows>

interface Page {
  rows: readonly Row[]
  /** What it was fetched under; another one is shown but fetched again. */
  stamp: string
}

/** Rows by their place in the list. Old rows stay until newer ones are there, so that nothing flickers. */
export class Pages {
  total: number
  error: unknown = null
  private stamp: string
  private readonly pages = new Map<number, Page>()
  private readonly asked = new Map<number, AbortController>()
  private readonly listeners = new Set<() => void>()
  private seeds = new Map<number, Row>()
  private version = 0

  constructor(
    private readonly fetch: Fetch,
    total: number,
    stamp: string,
  ) {
    this.total = total
    this.stamp = stamp
  }

  /** The row at this place, if it is here. */
  row(index: number): Row | undefined {
    const page = this.pages.get(Math.floor(index / PAGE))
    return page?.rows[index % PAGE] ?? this.seeds.get(index)
  }

  /** Whether the row at this place is as it is in this revision. */
  isFresh(index: number, revision: string | null): boolean {
    return this.pages.get(Math.floor(index / PAGE))?.stamp === revision
  }

  /** Rows that are known from elsewhere, shown until their page is here. */
  seed(rows: Iterable<[number, Row]>): void {
    this.seeds = new Map(rows)
  }

  /** That these places are in view, or nearly. */
  want(first: number, last: number): void {
    const from = Math.max(0, Math.floor(first / PAGE))
    const to = Math.min(Math.ceil(this.total / PAGE) - 1, Math.floor(last / PAGE))
    this.dropQuestionsOutside(from, to)
    for (let page = from; page <= to; page++) {
      const kept = this.pages.get(page)
      if (kept) this.touch(page, kept)
      const short = kept && kept.rows.length < Math.min(PAGE, this.total - page * PAGE)
      if (!kept || kept.stamp !== this.stamp || short) void this.ask(page)
    }
  }

  /** That the list is another one now: longer, shorter, or edited. */
  renew(stamp: string, total: number): void {
    if (stamp === this.stamp && total === this.total) return
    this.stamp = stamp
    if (total < this.total) {
      for (const page of [...this.pages.keys()]) if (page * PAGE >= total) this.pages.delete(page)
    }
    this.total = total
    for (const asked of this.asked.values()) asked.abort()
    this.asked.clear()
    this.tell()
  }

  /** A page that came with something else. */
  put(start: number, got: Rows): void {
    this.keep(Math.floor(start / PAGE), got)
  }

  /** The row at this place, fetched if it is not here; for looking around beyond the view. */
  async load(index: number): Promise<Row | undefined> {
    if (index < 0 || index >= this.total) return undefined
    const here = this.pages.get(Math.floor(index / PAGE))?.rows[index % PAGE]
    if (here) return here
    const page = Math.floor(index / PAGE)
    const got = await this.fetch(page * PAGE, PAGE, new AbortController().signal)
    this.keep(page, got)
    return got.rows[index % PAGE]
  }

  /** The place of a message among the rows that are here, or -1. */
  find(id: string): number {
    for (const [page, kept] of this.pages) {
      const within = kept.rows.findIndex((row) => row.id === id)
      if (within >= 0) return page * PAGE + within
    }
    for (const [index, row] of this.seeds) if (row.id === id) return index
    return -1
  }

  /** All rows that are here, in no order. */
  *here(): Iterable<Row> {
    for (const page of this.pages.values()) yield* page.rows
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshot = (): number => this.version

  /** Nothing is asked for any more. */
  close(): void {
    for (const asked of this.asked.values()) asked.abort()
    this.asked.clear()
  }

  /** How many pages are kept. */
  get size(): number {
    return this.pages.size
  }

  private async ask(page: number): Promise<void> {
    if (this.asked.has(page)) return
    const control = new AbortController()
    this.asked.set(page, control)
    try {
      const got = await this.fetch(page * PAGE, PAGE, control.signal)
      if (control.signal.aborted) return
      this.error = null
      this.keep(page, got)
    } catch (error) {
      if (control.signal.aborted) return
      this.error = error
      this.tell()
    } finally {
      if (this.asked.get(page) === control) this.asked.delete(page)
    }
  }

  private keep(page: number, got: Rows): void {
    this.pages.delete(page)
    // A newer stamp than the one asked for: the page is told by an event soon; it counts as current.
    this.pages.set(page, { rows: got.rows, stamp: this.stamp })
    this.total = got.total
    for (const old of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break
      this.pages.delete(old)
    }
    this.tell()
  }

  private touch(page: number, kept: Page): void {
    this.pages.delete(page)
    this.pages.set(page, kept)
  }

  /** Whoever scrolls fast passes pages by: what is out of view again is not waited for. */
  private dropQuestionsOutside(from: number, to: number): void {
    for (const [page, asked] of this.asked) {
      if (page >= from - 1 && page <= to + 1) continue
      asked.abort()
      this.asked.delete(page)
    }
  }

  private tell(): void {
    this.version++
    for (const listener of this.listeners) listener()
  }
}
