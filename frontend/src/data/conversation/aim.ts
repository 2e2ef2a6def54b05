// Where the list is to be when the next branch is shown.

import type { OpenConversation } from './OpenConversation'

export type Aim =
  | { kind: 'end' }
  /** At this row, which is then pointed at, unless it is quiet. */
  | { kind: 'row'; index: number; quiet?: boolean }
  /** That number of rows before the end. */
  | { kind: 'fromEnd'; rows: number }
  /** At the same row and height as now: the branches are the same up to here. */
  | { kind: 'same'; index: number; top: number; quiet?: boolean }

export function aim(open: OpenConversation, at: Aim): void {
  open.aim = { at, revision: open.revision }
}

/** What was aimed at, once; rows may be elsewhere after an edit, so then it counts no more. Before the
    conversation is known it has not got a revision yet. */
export function taken(open: OpenConversation): Aim | null {
  const was = open.aim
  open.aim = null
  return was && (was.revision ?? open.revision) === open.revision ? was.at : null
}

/** The row an aim means in a list of this length. */
export function rowOf(at: Aim | null, total: number): number {
  if (!at || at.kind === 'end') return total - 1
  const row = at.kind === 'fromEnd' ? total - at.rows : at.index
  return Math.max(0, Math.min(total - 1, row))
}
