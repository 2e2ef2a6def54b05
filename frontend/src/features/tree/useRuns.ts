// The messages of unfolded runs, fetched as they come into view.

import { useEffect, useMemo, useState } from 'react'
import { get, isAbort, path } from '../../data/api/client'
import type { Node, Run } from '../../data/api/types'
import type { Layout } from './lanes'

const PAGE = 100
const MOST_PAGES = 60

export interface Runs {
  node(row: number, message: number): Node | undefined
  want(row: number, message: number): void
}

export function useRuns(cid: string, placed: Layout): Runs {
  const [, tell] = useState(0)
  const runs = useMemo(() => new RunPages(cid, placed, () => tell((now) => now + 1)), [cid, placed])
  useEffect(() => () => runs.close(), [runs])
  return runs
}

class RunPages implements Runs {
  private readonly pages = new Map<string, readonly Node[]>()
  private readonly asked = new Set<string>()
  private readonly control = new AbortController()

  constructor(
    private readonly cid: string,
    private readonly placed: Layout,
    private readonly tell: () => void,
  ) {}

  node = (row: number, message: number): Node | undefined =>
    this.pages.get(`${row} ${Math.floor(message / PAGE)}`)?.[message % PAGE]

  want = (row: number, message: number): void => {
    const page = Math.floor(message / PAGE)
    const key = `${row} ${page}`
    const first = this.placed.rows[row]?.segment.first
    if (first === undefined || this.pages.has(key) || this.asked.has(key)) return
    this.asked.add(key)
    void this.fetch(key, first, page)
  }

  close(): void {
    this.control.abort()
  }

  private async fetch(key: string, first: string, page: number): Promise<void> {
    try {
      const run = await get<Run>(
        path`/c/${this.cid}/run`,
        { first, from: page * PAGE, limit: PAGE },
        this.control.signal,
      )
      this.pages.set(key, run.nodes)
      if (this.pages.size > MOST_PAGES) this.pages.delete(this.pages.keys().next().value as string)
      this.tell()
    } catch (error) {
      if (isAbort(error)) return
    }
    this.asked.delete(key)
  }
}
