// Pages of a long list, held in the query cache. Pages in view are observed: they are requested if they are missing or
// outdated. Others stay until there are too many of them.

import { hashKey, QueryObserver, type Query, type QueryKey } from '@tanstack/react-query'
import { askQuery, queries } from './cache'

/** The query of a page. */
export interface PageQuestion<T> {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<T>
  staleTime?: number | ((query: Query<T>) => number)
}

export type AskPage<Id, T> = (id: Id) => PageQuestion<T>

export class PageCache<Id, T> {
  /** Why a page could not be loaded, until one is. */
  error: unknown = null
  /** The newest answer for each page, in the order in which they were last seen. */
  private readonly known = new Map<Id, Query<T>>()
  private readonly observed = new Map<Id, () => void>()
  private readonly listeners = new Set<() => void>()

  constructor(
    private question: AskPage<Id, T>,
    /** Maximum number of pages kept. */
    private readonly most: number,
  ) {}

  get(id: Id): T | undefined {
    return this.known.get(id)?.state.data
  }

  /** The newest answer to the current query, of the pages in view. */
  newest(): T | undefined {
    let found: Query<T> | undefined
    for (const id of this.observed.keys()) {
      const query = this.known.get(id)
      if (!query || query.queryHash !== hashKey(this.question(id).queryKey)) continue
      if (!found || query.state.dataUpdatedAt >= found.state.dataUpdatedAt) found = query
    }
    return found?.state.data
  }

  *[Symbol.iterator](): Iterator<[Id, T]> {
    for (const [id, { state }] of this.known) if (state.data !== undefined) yield [id, state.data]
  }

  get size(): number {
    return this.known.size
  }

  /** Observes exactly these pages; pending requests for others are cancelled, except for those to `spare`. */
  observe(ids: Iterable<Id>, spare: (id: Id) => boolean = () => false): void {
    const wanted = new Set(ids)
    for (const [id, stop] of this.observed) {
      if (wanted.has(id) || spare(id)) continue
      stop()
      this.observed.delete(id)
    }
    let isChanged = false
    for (const id of wanted) {
      const before = this.known.get(id)
      if (!this.observed.has(id)) this.observed.set(id, this.subscribeTo(id))
      else this.touch(id)
      isChanged ||= this.known.get(id) !== before
    }
    if (isChanged) this.notify()
  }

  /** Changes the query; the previous answers are shown until new ones arrive. */
  ask(question: AskPage<Id, T>): void {
    this.question = question
    for (const [id, stop] of this.observed) {
      stop()
      this.observed.set(id, this.subscribeTo(id))
    }
  }

  /** Returns a page, requested if it is missing or outdated. */
  async load(id: Id): Promise<T> {
    const asked = this.question(id)
    const data = await askQuery(asked)
    const query = queries.getQueryCache().find<T>({ queryKey: asked.queryKey })
    if (query) this.keep(id, query)
    return data
  }

  /** Requests some pages again: those in view now, others once they are in view. */
  refresh(ids: Iterable<Id>): void {
    for (const id of ids) void queries.invalidateQueries({ queryKey: this.question(id).queryKey, exact: true })
  }

  /** Changes the cached data of a page. */
  update(id: Id, change: (data: T) => T): void {
    const query = this.known.get(id)
    if (query) queries.setQueryData<T>(query.queryKey, (data) => data && change(data))
  }

  /** Drops pages that are not in view. */
  drop(isDropped: (id: Id) => boolean): void {
    for (const id of [...this.known.keys()]) if (!this.observed.has(id) && isDropped(id)) this.remove(id)
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Stops all requests. */
  close(): void {
    for (const stop of this.observed.values()) stop()
    this.observed.clear()
  }

  private subscribeTo(id: Id): () => void {
    // Only data changes are relevant, not that a request is pending.
    const observer = new QueryObserver<T>(queries, {
      ...this.question(id),
      notifyOnChangeProps: ['data', 'error'],
    })
    const take = ({ data, error }: { data: T | undefined; error: unknown }): void => {
      this.error = error
      if (data !== undefined) this.keep(id, observer.getCurrentQuery())
      this.notify()
    }
    const stop = observer.subscribe(take)
    const now = observer.getCurrentResult()
    if (now.data !== undefined) this.keep(id, observer.getCurrentQuery())
    return stop
  }

  private keep(id: Id, query: Query<T>): void {
    this.known.delete(id)
    this.known.set(id, query)
    for (const old of this.known.keys()) {
      if (this.known.size <= this.most) break
      if (!this.observed.has(old) && old !== id) this.remove(old)
    }
  }

  private touch(id: Id): void {
    const query = this.known.get(id)
    if (query) this.keep(id, query)
  }

  private remove(id: Id): void {
    const query = this.known.get(id)
    this.known.delete(id)
    if (query) queries.removeQueries({ queryKey: query.queryKey, exact: true })
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener()
  }
}
