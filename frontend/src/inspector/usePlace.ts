/** On which row the selected message stands. */

import { path } from '../api/client'
import type { Place } from '../api/types'
import { useGet } from '../api/use'
import { useCurrent } from '../shell/current'

/** Null while nothing is selected or it is not known yet. */
export function usePlace(): Place | null {
  const { cid, leaf, selected } = useCurrent()
  const { data } = useGet<Place>(cid && selected ? path`/c/${cid}/place` : null, { id: selected, leaf }, { keep: true })
  return selected ? (data ?? null) : null
}
