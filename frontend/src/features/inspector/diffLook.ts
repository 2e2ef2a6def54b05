/** Display settings of diffs, stored in this browser. */

import { makeStore, useStore } from '../../lib/store'

export interface DiffLook {
  split: boolean
  /** Whether whitespace counts. */
  space: boolean
  wrap: boolean
}

const KEY = 'talktree.diff'
const FIRST: DiffLook = { split: false, space: true, wrap: true }

function remembered(): DiffLook {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<DiffLook>
    return { split: kept.split === true, space: kept.space !== false, wrap: kept.wrap !== false }
  } catch {
    return FIRST
  }
}

const look = makeStore<DiffLook>(remembered())

export function useDiffLook(): [DiffLook, (next: DiffLook) => void] {
  return [useStore(look), setLook]
}

function setLook(next: DiffLook): void {
  look.set(next)
  try {
    localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // only not stored
  }
}
