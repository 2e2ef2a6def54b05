/** Going to a message from a list or a chart. */

import { ask } from '../../data/api/cache'
import { path } from '../../data/api/client'
import type { MessagePlace, RowRange } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { reportProblem } from '../editing/edit'

/** Shows a message, on the current view's branch if it is there. */
export async function goTo(open: OpenConversation, id: string): Promise<void> {
  const { cid, leaf } = open
  try {
    const place = await ask<MessagePlace>(path`/c/${cid}/place`, { id, leaf })
    if (place.leaf === leaf) open.select(place.id)
    else open.showLeaf(place.leaf, place.id)
  } catch (problem) {
    reportProblem(open, problem)
  }
}

/** Shows the row with this number on the current view's branch. */
export async function goToRow(open: OpenConversation, number: number): Promise<void> {
  const { cid, leaf } = open
  try {
    const rows = await ask<RowRange>(path`/c/${cid}/rows`, { leaf, from: number, limit: 1 })
    const row = rows.rows[0]
    if (row) open.select(row.id)
  } catch (problem) {
    reportProblem(open, problem)
  }
}
