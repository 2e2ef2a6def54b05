// The tree of the conversation that is open.

import { path } from '../api/client'
import type { Graph } from '../api/types'
import { useGet, type Got } from '../api/use'

export function useGraph(cid: string | null): Got<Graph> {
  return useGet<Graph>(cid === null ? null : path`/c/${cid}/graph`, undefined, { keep: true })
}
