/** The state of the bar for the conversation that is open. */

import { path } from '../api/client'
import type { History } from '../api/types'
import { useGet } from '../api/use'
import { useCurrent } from '../shell/current'
import { barState, type BarState } from './barState'
import { useReadOnly } from './readOnly'

/** Asks for the history only where something can be edited. */
export function useBarState(): BarState {
  const { cid, conversation } = useCurrent()
  const asked = cid && conversation?.can.edit ? path`/c/${cid}/edits` : null
  const { data } = useGet<History>(asked, undefined, { keep: true })
  return barState(conversation, asked ? data : undefined, useReadOnly())
}
