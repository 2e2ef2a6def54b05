// The scroll target for the next branch that is shown.

import type { OpenConversation } from './OpenConversation'

export type Aim =
  | { kind: 'end' }
  /** A row, which is then selected unless `quiet`. */
  | { kind: 'row'; index: number; quiet?: boolean }
  /** This number of rows before the end. */
  | { kind: 'fromEnd'; rows: number }
  /** The same row and height as now: the branches are equal up to here. */
  | { kind: 'same'; index: number; top: number; quiet?: boolean }

/** A target, with the selection and the revision at that time. */
export interface SetAim {
  at: Aim
  selected: string | null
  revision: string | null
}

/** Sets the target. Its branch or message is shown first. */
export function aim(open: OpenConversation, at: Aim): void {
  open.aim = { at, selected: open.selected, revision: open.revision }
}

/**
 * Returns the target, once. It is dropped after another message was selected and after an edit, because rows may have
 * moved. Before the conversation is loaded it has no revision.
 */
export function taken(open: OpenConversation): Aim | null {
  const was = open.aim
  open.aim = null
  if (!was || was.selected !== open.selected) return null
  return (was.revision ?? open.revision) === open.revision ? was.at : null
}

/** Returns the row of a target in a list of this length. */
export function rowOf(at: Aim | null, total: number): number {
  if (!at || at.kind === 'end') return total - 1
  const row = at.kind === 'fromEnd' ? total - at.rows : at.index
  return Math.max(0, Math.min(total - 1, row))
}
