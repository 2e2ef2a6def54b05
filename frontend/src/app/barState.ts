/** Which buttons of the toolbar are enabled. */

import type { ConversationDetails, HistoryState } from '../data/api/types'

export interface BarState {
  undo: boolean
  redo: boolean
  save: boolean
  saveAs: boolean
  share: boolean
  /** What the next undo and redo would change. */
  undoText: string
  redoText: string
}

const OFF: BarState = { undo: false, redo: false, save: false, saveAs: false, share: false, undoText: '', redoText: '' }

/** Disables everything without a conversation, and all changes in a read-only studio. */
export function barState(
  conversation: ConversationDetails | null,
  history: HistoryState | undefined,
  readOnly: boolean,
): BarState {
  if (!conversation) return OFF
  const edits = history?.edits ?? []
  const last = edits.findLast((edit) => edit.state === 'done')
  const next = edits.find((edit) => edit.state === 'undone')
  return {
    undo: !readOnly && (history?.can_undo ?? false),
    redo: !readOnly && (history?.can_redo ?? false),
    save: !readOnly && conversation.can.save && conversation.edited,
    saveAs: true,
    share: true,
    undoText: last ? `Undo: ${last.what}` : 'Undo',
    redoText: next ? `Redo: ${next.what}` : 'Redo',
  }
}
