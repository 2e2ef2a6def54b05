// Keeps the list up to date while it is shown.

import { useEffect, type RefObject } from 'react'
import { invalidate } from '../../data/api/use'
import { refresh } from '../../data/cards'
import { hearOfForgotten } from '../live/forgotten'

const CALM = 10_000
const BUSY = 1500

/** Requests the list again at intervals, more often during an import. */
export function useRefresh(seen: RefObject<[number, number]>, busy: boolean): void {
  useEffect(() => {
    const timer = setInterval(
      () => {
        if (document.hidden) return
        refresh(...seen.current)
        if (busy) invalidate('/about')
      },
      busy ? BUSY : CALM,
    )
    return () => clearInterval(timer)
  }, [seen, busy])
  useEffect(hearOfForgotten, [])
}
