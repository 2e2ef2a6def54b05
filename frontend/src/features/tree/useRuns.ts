// The messages of unfolded runs, loaded as they come into view.

import { useEffect, useMemo, useState } from 'react'
import { question } from '../../data/api/cache'
import { path } from '../../data/api/client'
import { PageCache } from '../../data/api/pageCache'
import type { TreeNode, FoldedRun } from '../../data/api/types'
import type { Layout } from './lanes'

const PAGE = 100
const MOST_PAGES = 60

export interface Runs {
  node(row: number, message: number): TreeNode | undefined
  want(row: number, message: number): void
}

export function useRuns(cid: string, placed: Layout): Runs {
  const [, tell] = useState(0)
  const runs = useMemo(() => new RunPages(cid, placed), [cid, placed])
  useEffect(() => {
    const stop = runs.pages.subscribe(() => tell((now) => now + 1))
    return () => (stop(), runs.pages.close())
  }, [runs])
  return runs
}

class RunPages implements Runs {
  /** By the first message of the run and the number of the page. */
  readonly pages: PageCache<string, FoldedRun>
  private readonly wanted = new Set<string>()

  constructor(
    cid: string,
    private readonly placed: Layout,
  ) {
    this.pages = new PageCache((id) => {
      const [page, first] = split(id)
      return question<FoldedRun>(path`/c/${cid}/run`, { first, from: page * PAGE, limit: PAGE })
    }, MOST_PAGES)
  }

  node = (row: number, message: number): TreeNode | undefined => {
    const id = this.idOf(row, message)
    return id === null ? undefined : this.pages.get(id)?.nodes[message % PAGE]
  }

  want = (row: number, message: number): void => {
    const id = this.idOf(row, message)
    if (id === null || this.wanted.has(id)) return
    this.wanted.add(id)
    for (const old of this.wanted) {
      if (this.wanted.size <= MOST_PAGES) break
      this.wanted.delete(old)
    }
    this.pages.observe(this.wanted)
  }

  private idOf(row: number, message: number): string | null {
    const first = this.placed.rows[row]?.segment.first
    return first === undefined ? null : `${Math.floor(message / PAGE)} ${first}`
  }
}

function split(id: string): [page: number, first: string] {
  const at = id.indexOf(' ')
  return [Number(id.slice(0, at)), id.slice(at + 1)]
}
