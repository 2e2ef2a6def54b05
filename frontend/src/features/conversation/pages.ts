// The rows that are at hand: pages of a long list, fetched when they come into view, a bounded number of them.

import { keyOf } from '../../data/api/cache'
import { get, path } from '../../data/api/client'
import { PageCache, type PageQuestion } from '../../data/api/pageCache'
import type { Row, RowRange } from '../../data/api/types'

export const PAGE = 50
/** Pages that are kept; what was not seen for the longest time goes first. */
export const MOST_PAGES = 60

/** Which rows are meant: those of a branch, or of the current one, narrowed by `show`. */
export interface Branch {
  cid: string
  leaf: string | null
  show: string
}

/** Rows by their place in the list. Old rows stay until newer ones are there, so that nothing flickers. */
export class Pages {
  total: number
  private readonly cache: PageCache<number, RowRange>
  private seeds = new Map<number, Row>()
  private version = 0
  private readonly listeners = new Set<() => void>()
  private failure: unknown = null

  constructor(
    /** Null for rows that are all known from elsewhere. */
    readonly branch: Branch | null,
    total: number,
    private revision: string,
  ) {
    this.total = total
    this.cache = new PageCache(this.question, MOST_PAGES)
    this.cache.subscribe(() => this.take())
  }

  get error(): unknown {
    return this.failure ?? this.cache.error
  }

  /** The row at this place, if it is here. */
  row(index: number): Row | undefined {
    return this.cache.get(Math.floor(index / PAGE))?.rows[index % PAGE] ?? this.seeds.get(index)
  }

  /** Whether the row at this place is as it is in this revision. */
  isFresh(index: number, revision: string | null): boolean {
    return this.cache.get(Math.floor(index / PAGE))?.stamp === revision
  }

  /** Rows that are known from elsewhere, shown until their page is here. */
  seed(rows: Iterable<[number, Row]>): void {
    this.seeds = new Map(rows)
  }

  /** That these places are in view, or nearly. Pages next to them are waited for as well: who scrolls comes back. */
  want(first: number, last: number): void {
    if (!this.branch) return
    const from = Math.max(0, Math.floor(first / PAGE))
    const to = Math.min(this.lastPage, Math.floor(last / PAGE))
    const ids = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
    this.cache.observe(ids, (id) => id >= from - 1 && id <= to + 1 && id <= this.lastPage)
  }

  /** That the list is another one now: longer, shorter, or edited. */
  renew(revision: string, total: number): void {
    if (revision === this.revision && total === this.total) return
    this.revision = revision
    this.total = total
    this.cache.drop((page) => page > this.lastPage)
    this.cache.ask(this.question)
    // Rows of this revision that are known already say how many there are.
    this.total = this.cache.newest()?.total ?? total
    this.tell()
  }

  /** The rows from this place on to the end of their page, which says how many there are in all. */
  async open(index: number): Promise<void> {
    try {
      this.total = (await this.cache.load(Math.floor(index / PAGE))).total
    } catch (error) {
      this.failure = error
    }
  }

  /** Asks again after an error. */
  retry(): void {
    if (this.branch) this.cache.observe([0])
  }

  /** The row at this place, fetched if it is not here; for looking around beyond the view. */
  async load(index: number): Promise<Row | undefined> {
    if (index < 0 || index >= this.total) return undefined
    const page = Math.floor(index / PAGE)
    const known = this.cache.get(page)
    if (known?.rows[index % PAGE]) return known.rows[index % PAGE]
    const got = await this.cache.load(page)
    this.total = got.total
    this.tell()
    return got.rows[index % PAGE]
  }

  /** The place of a message among the rows that are here, or -1. */
  find(id: string): number {
    for (const [page, { rows }] of this.cache) {
      const within = rows.findIndex((row) => row.id === id)
      if (within >= 0) return page * PAGE + within
    }
    for (const [index, row] of this.seeds) if (row.id === id) return index
    return -1
  }

  /** All rows that are here, in no order. */
  *here(): Iterable<Row> {
    for (const [, { rows }] of this.cache) yield* rows
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshot = (): number => this.version

  /** Nothing is asked for any more. */
  close(): void {
    this.cache.close()
  }

  /** How many pages are kept. */
  get size(): number {
    return this.cache.size
  }

  private get lastPage(): number {
    return Math.max(0, Math.ceil(this.total / PAGE) - 1)
  }

  /** A page as of the revision that is known: an undo leads back to rows that are here already. An answer that is of
      another revision than was known is shown, but asked for again. */
  private question = (page: number): PageQuestion<RowRange> => {
    const { revision } = this
    const { cid, leaf, show } = this.branch ?? { cid: '', leaf: null, show: '' }
    const [where, params] = [path`/c/${cid}/rows`, { leaf, from: page * PAGE, limit: PAGE, show }]
    return {
      queryKey: [...keyOf(where, params), revision],
      queryFn: ({ signal }) => get<RowRange>(where, params, signal),
      staleTime: ({ state }) => (state.data?.stamp === revision ? Infinity : 0),
    }
  }

  /** The newest answer says how many rows there are. */
  private take(): void {
    this.total = this.cache.newest()?.total ?? this.total
    this.failure = null
    this.tell()
  }

  private tell(): void {
    this.version++
    for (const listener of this.listeners) listener()
  }
}
