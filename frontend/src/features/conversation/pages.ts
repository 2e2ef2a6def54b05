// The loaded rows: pages of a long list, requested when they come into view, a bounded number of them.

import { keyOf } from '../../data/api/cache'
import { get, path } from '../../data/api/client'
import { PageCache, type PageQuestion } from '../../data/api/pageCache'
import type { Row, RowRange } from '../../data/api/types'

export const PAGE = 50
/** Maximum number of pages kept; the least recently seen go first. */
export const MOST_PAGES = 60

/** Which rows: those of a branch, or of the current one, filtered by `show`. */
export interface Branch {
  cid: string
  leaf: string | null
  show: string
}

/** Rows by their place in the list. Old rows stay until newer ones arrive, so that nothing flickers. */
export class Pages {
  total: number
  private readonly cache: PageCache<number, RowRange>
  private seeds = new Map<number, Row>()
  private version = 0
  private readonly listeners = new Set<() => void>()
  private failure: unknown = null

  constructor(
    /** Null if all rows are given. */
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

  /** Returns the row at this place, if it is loaded. */
  row(index: number): Row | undefined {
    return this.cache.get(Math.floor(index / PAGE))?.rows[index % PAGE] ?? this.seeds.get(index)
  }

  /** Whether the row at this place is of this revision. */
  isFresh(index: number, revision: string | null): boolean {
    return this.cache.get(Math.floor(index / PAGE))?.stamp === revision
  }

  /** Adds rows that are known from elsewhere, shown until their page is loaded. */
  seed(rows: Iterable<[number, Row]>): void {
    this.seeds = new Map(rows)
  }

  /** Requests these places, which are in view or near it. Adjacent pages are kept as well: readers scroll back. */
  want(first: number, last: number): void {
    if (!this.branch) return
    const from = Math.max(0, Math.floor(first / PAGE))
    const to = Math.min(this.lastPage, Math.floor(last / PAGE))
    const ids = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
    this.cache.observe(ids, (id) => id >= from - 1 && id <= to + 1 && id <= this.lastPage)
  }

  /** Updates the list: longer, shorter, or edited. */
  renew(revision: string, total: number): void {
    if (revision === this.revision && total === this.total) return
    this.revision = revision
    this.total = total
    this.cache.drop((page) => page > this.lastPage)
    this.cache.ask(this.question)
    // Rows of this revision that are known already contain the total.
    this.total = this.cache.newest()?.total ?? total
    this.tell()
  }

  /** Loads the rows from this place on to the end of their page, with the total. */
  async open(index: number): Promise<void> {
    try {
      this.total = (await this.cache.load(Math.floor(index / PAGE))).total
    } catch (error) {
      this.failure = error
    }
  }

  /** Requests again after an error. */
  retry(): void {
    if (this.branch) this.cache.observe([0])
  }

  /** Returns the row at this place, requested if it is not loaded; for searching beyond the view. */
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

  /** Returns the place of a message among the loaded rows, or -1. */
  find(id: string): number {
    for (const [page, { rows }] of this.cache) {
      const within = rows.findIndex((row) => row.id === id)
      if (within >= 0) return page * PAGE + within
    }
    for (const [index, row] of this.seeds) if (row.id === id) return index
    return -1
  }

  /** Yields all loaded rows, in no order. */
  *here(): Iterable<Row> {
    for (const [, { rows }] of this.cache) yield* rows
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshot = (): number => this.version

  /** Stops all requests. */
  close(): void {
    this.cache.close()
  }

  /** Number of pages kept. */
  get size(): number {
    return this.cache.size
  }

  private get lastPage(): number {
    return Math.max(0, Math.ceil(this.total / PAGE) - 1)
  }

  /**
   * The query of a page for the known revision: an undo returns to rows that are cached. An answer of another revision
   * is shown, but requested again.
   */
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

  /** The newest answer contains the total. */
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
