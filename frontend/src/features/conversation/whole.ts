// Messages that are too long for the list and are asked for by themselves.

import { path } from '../../data/api/client'
import type { Row } from '../../data/api/types'
import { useGet, type Got } from '../../data/api/use'
import { useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'

const MOST = 20

/** The message with nothing cut, if it was asked for; else as it is. */
export function useWhole(cid: string, row: Row): Row {
  const { data } = useWholeAnswer(cid, row.id)
  return data ? { ...row, blocks: data.blocks, text: data.text } : row
}

/** What the server says of a message that was asked for; nothing if it was not. */
export function useWholeAnswer(cid: string, id: string): Got<Row> {
  const isWanted = useLocal((local) => local.whole.includes(id)) ?? false
  return useGet<Row>(isWanted ? path`/c/${cid}/messages/${id}` : null)
}

export function showWhole(open: OpenConversation, id: string): void {
  const { whole } = open.local.getState()
  if (!whole.includes(id)) open.set({ whole: [...whole.slice(1 - MOST), id] })
}
