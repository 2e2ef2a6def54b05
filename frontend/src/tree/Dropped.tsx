// A message that was dropped on the graph: asks before it is moved.

import { path } from '../api/client'
import { makeStore, useStore } from '../api/store'
import type { Row } from '../api/types'
import { useGet } from '../api/use'
import { Moving } from '../conversation/Moving'

const asked = makeStore<{ about: string; to: string } | null>(null)

export function askToMove(about: string, to: string): void {
  if (about !== to) asked.set({ about, to })
}

export function Dropped({ cid }: { cid: string }) {
  const now = useStore(asked)
  const about = useGet<Row>(now ? path`/c/${cid}/messages/${now.about}` : null).data
  const to = useGet<Row>(now ? path`/c/${cid}/messages/${now.to}` : null).data
  if (!now || !about || !to) return null
  return <Moving about={about} to={to} onClose={() => asked.set(null)} />
}
