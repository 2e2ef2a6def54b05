/** The undos or redos that lead to an entry of the history. */

import type { EditLine } from '../../data/api/types'

export interface Walk {
  verb: 'undo' | 'redo'
  /** The edits to undo or redo, in this order. */
  edits: number[]
}

/** Makes this entry the last one in effect; null if it already is. */
export function walkTo(edits: readonly EditLine[], number: number): Walk | null {
  const target = edits[number]
  if (!target && number !== -1) return null
  const ids = (lines: readonly EditLine[], state: EditLine['state']) =>
    lines.filter((edit) => edit.state === state).map((edit) => edit.id)
  if (target?.state === 'undone') return { verb: 'redo', edits: ids(edits.slice(0, number + 1), 'undone') }
  const undone = ids(edits.slice(number + 1), 'done').toReversed()
  return undone.length === 0 ? null : { verb: 'undo', edits: undone }
}
