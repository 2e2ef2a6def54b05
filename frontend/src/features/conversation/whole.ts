// Messages that are too long for the list and are loaded separately.

import { path } from '../../data/api/client'
import type { Row } from '../../data/api/types'
import { useGet, type Got } from '../../data/api/use'
import { useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'

const MOST = 20

/** Returns the full message if it was requested; else the row. */
export function useWhole(cid: string, row: Row): Row {
  const { data } = useWholeAnswer(cid, row.id)
  return data ? { ...row, blocks: data.blocks, text: data.text } : row
}

/** Returns the server's answer for a requested message; empty if it was not requested. */
export function useWholeAnswer(cid: string, id: string): Got<Row> {
  const isWanted = useLocal((local) => local.whole.includes(id)) ?? false
  return useGet<Row>(isWanted ? path`/c/${cid}/messages/${id}` : null)
}

export function showWhole(open: OpenConversation, id: string): void {
  const { whole } = open.local.getState()
  if (!whole.includes(id)) open.set({ whole: [...whole.slice(1 - MOST), id] })
}
