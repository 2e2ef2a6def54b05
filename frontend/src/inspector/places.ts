/** Going to a message from a list or a chart. */

import { get, path } from '../api/client'
import type { Place, Rows } from '../api/types'
import { getCurrent, select, showLeaf } from '../shell/current'
import { tellProblem } from '../work/edit'

/** Show a message, on the branch that is shown if it is there. */
export async function goTo(id: string): Promise<void> {
  const { cid, leaf } = getCurrent()
  if (!cid) return
  try {
    const place = await get<Place>(path`/c/${cid}/place`, { id, leaf })
    if (place.leaf === leaf) select(place.id)
    else showLeaf(place.leaf, place.id)
  } catch (problem) {
    tellProblem(problem)
  }
}

/** Show the row with this number on the branch that is shown. */
export async function goToRow(number: number): Promise<void> {
  const { cid, leaf } = getCurrent()
  if (!cid) return
  try {
    const rows = await get<Rows>(path`/c/${cid}/rows`, { leaf, from: number, limit: 1 })
    const row = rows.rows[0]
    if (row) select(row.id)
  } catch (problem) {
    tellProblem(problem)
  }
}
