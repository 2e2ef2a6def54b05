/** The state of the bar for the conversation that is open. */

import { path } from '../data/api/client'
import type { HistoryState } from '../data/api/types'
import { useGet } from '../data/api/use'
import { useConversation } from '../data/conversation/ConversationProvider'
import { barState, type BarState } from './barState'
import { useReadOnly } from '../data/readOnly'

/** Requests the history only where editing is possible. */
export function useBarState(): BarState {
  const { cid, conversation } = useConversation()
  const asked = cid && conversation?.can.edit ? path`/c/${cid}/edits` : null
  const { data } = useGet<HistoryState>(asked, undefined, { keep: true })
  return barState(conversation, asked ? data : undefined, useReadOnly())
}
