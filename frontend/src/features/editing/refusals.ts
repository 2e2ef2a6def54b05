// Why a conversation cannot be changed now, in words; null if it can. Uses only the page's own data: nothing is
// requested, and what is unknown is left to the server.

import { peek } from '../../data/api/cache'
import { path } from '../../data/api/client'
import type { HistoryState } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { isReadOnly } from '../../data/readOnly'

export const NONE_SELECTED = 'No message is selected: choose one with j or k.'

export function whyNotEdit({ data }: OpenConversation): string | null {
  if (!data) return 'The conversation is still loading.'
  if (isReadOnly()) return 'This studio is read-only.'
  return data.can.edit ? null : (data.can.why_not ?? 'This conversation cannot be edited.')
}

export function whyNotUndo(open: OpenConversation): string | null {
  return whyNotEdit(open) ?? (historyOf(open)?.can_undo === false ? 'There is nothing to undo.' : null)
}

export function whyNotRedo(open: OpenConversation): string | null {
  return whyNotEdit(open) ?? (historyOf(open)?.can_redo === false ? 'There is nothing to redo.' : null)
}

export function whyNotSave(open: OpenConversation): string | null {
  const { data } = open
  if (!data) return 'The conversation is still loading.'
  if (isReadOnly()) return 'This studio is read-only.'
  if (!data.can.save) return data.can.why_not ?? 'It cannot be saved to its own file: save it as another format.'
  return data.edited || open.isChanging ? null : 'There is nothing to save.'
}

/** Returns the edits of the shown state; undefined while an edit is pending, or if they are of another state. */
function historyOf(open: OpenConversation): HistoryState | undefined {
  const history = peek<HistoryState>(path`/c/${open.cid}/edits`)
  return open.isChanging || history?.stamp !== open.revision ? undefined : history
}
