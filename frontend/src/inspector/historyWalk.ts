/** How many undos or redos lead to a line of the history. */

import type { EditLine } from '../api/types'

export interface Walk {
  verb: 'undo' | 'redo'
  times: number
}

/** To make this line the last one that counts; null where that is so already. */
export function walkTo(edits: readonly EditLine[], number: number): Walk | null {
  const target = edits[number]
  if (!target && number !== -1) return null
  if (target?.state === 'undone') {
    const times = edits.slice(0, number + 1).filter((edit) => edit.state === 'undone').length
    return { verb: 'redo', times }
  }
  const times = edits.slice(number + 1).filter((edit) => edit.state === 'done').length
  return times === 0 ? null : { verb: 'undo', times }
}
