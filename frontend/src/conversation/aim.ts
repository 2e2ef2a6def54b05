// Where the list is to be when the next branch is shown.

import { getCurrent } from '../shell/current'

export type Aim =
  | { kind: 'end' }
  /** At this row, which is then pointed at, unless it is quiet. */
  | { kind: 'row'; index: number; quiet?: boolean }
  /** So many rows before the end. */
  | { kind: 'fromEnd'; rows: number }
  /** At the same row and height as now: the branches are the same up to here. */
  | { kind: 'same'; index: number; top: number }

let next: { at: Aim; cid: string | null; stamp: string | null } | null = null

export function aim(at: Aim): void {
  const { cid, stamp } = getCurrent()
  next = { at, cid, stamp }
}

/** What was aimed at, once; rows may stand elsewhere after an edit, so then it counts no more. Before the
    conversation is known there is no stamp yet. */
export function taken(): Aim | null {
  const was = next
  next = null
  const { cid, stamp } = getCurrent()
  return was?.cid === cid && (was.stamp ?? stamp) === stamp ? was.at : null
}

/** The row an aim means in a list of so many. */
export function rowOf(at: Aim | null, total: number): number {
  if (!at || at.kind === 'end') return total - 1
  const row = at.kind === 'fromEnd' ? total - at.rows : at.index
  return Math.max(0, Math.min(total - 1, row))
}
