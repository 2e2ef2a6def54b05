// The way back from a sub-agent's conversation.

import { makeStore, useStore } from '../api/store'
import { getCurrent, showLeaf } from '../shell/current'
import { aim } from './aim'

interface Step {
  cid: string
  /** The branch that was left, and the message it was left at. */
  leaf: string
  id: string | null
  label: string
  /** The sub-agent's branch. */
  into: string
}

const trail = makeStore<readonly Step[]>([])

/** The sub-agent that is shown, if the reader came through its call. */
export function useTrail(cid: string | null, leaf: string | null): Step | null {
  const steps = useStore(trail)
  const last = steps.at(-1)
  return last && last.cid === cid && last.into === leaf ? last : null
}

/** Opens a sub-agent's branch where it begins. */
export function enter(into: string, label: string, from: string | null, messages: number): void {
  const { cid, leaf } = getCurrent()
  if (cid === null || leaf === null || into === leaf) return
  trail.set((now) => [...now.slice(-20), { cid, leaf, id: from, label, into }])
  aim({ kind: 'fromEnd', rows: messages })
  showLeaf(into, null)
}

/** Goes back to the call. */
export function leave(): void {
  const step = trail.get().at(-1)
  if (!step) return
  trail.set((now) => now.slice(0, -1))
  showLeaf(step.leaf, step.id)
}
