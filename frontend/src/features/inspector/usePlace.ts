/** The row of the selected message. */

import { path } from '../../data/api/client'
import type { MessagePlace } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { useConversation } from '../../data/conversation/ConversationProvider'

/** Null while nothing is selected or it is not known yet. */
export function usePlace(): MessagePlace | null {
  const { cid, leaf, selected } = useConversation()
  const { data } = useGet<MessagePlace>(
    cid && selected ? path`/c/${cid}/place` : null,
    { id: selected, leaf },
    { keep: true },
  )
  return selected ? (data ?? null) : null
}
