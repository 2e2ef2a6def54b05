// Why nothing can be done to a conversation now, in words; null if it can. Only what the page knows counts: nothing is
// asked for, and what is not known yet is left to the server.

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

/** The edits of the state that is shown; none while an edit is on its way, or if they are of another state. */
function historyOf(open: OpenConversation): HistoryState | undefined {
  const history = peek<HistoryState>(path`/c/${open.cid}/edits`)
  return open.isChanging || history?.stamp !== open.revision ? undefined : history
}
