// The tree of the conversation that is open.

import { path } from '../../data/api/client'
import type { Graph } from '../../data/api/types'
import { useGet, type Got } from '../../data/api/use'

export function useGraph(cid: string | null): Got<Graph> {
  return useGet<Graph>(cid === null ? null : path`/c/${cid}/graph`, undefined, { keep: true })
}
