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

/** An aim, with what was selected and the revision when it was set. */
export interface SetAim {
  at: Aim
  selected: string | null
  revision: string | null
}

/** Sets the aim. A branch or message that goes with it is shown first. */
export function aim(open: OpenConversation, at: Aim): void {
  open.aim = { at, selected: open.selected, revision: open.revision }
}

/** What was aimed at, once. It does not count after another message was selected, nor after an edit, as rows may be
    elsewhere then. Before the conversation is known it has no revision. */
export function taken(open: OpenConversation): Aim | null {
  const was = open.aim
  open.aim = null
  if (!was || was.selected !== open.selected) return null
  return (was.revision ?? open.revision) === open.revision ? was.at : null
}

/** The row an aim means in a list of this length. */
export function rowOf(at: Aim | null, total: number): number {
  if (!at || at.kind === 'end') return total - 1
  const row = at.kind === 'fromEnd' ? total - at.rows : at.index
  return Math.max(0, Math.min(total - 1, row))
}
