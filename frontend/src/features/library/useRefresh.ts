// Keeps the list up to date while somebody looks at it.

import { useEffect, type RefObject } from 'react'
import { onInvalidate } from '../../data/api/cache'
import { invalidate } from '../../data/api/use'
import { refresh } from '../../data/cards'

const CALM = 10_000
const BUSY = 1500

/** Asks again every now and then, more often while something is taken in, and at once when told. */
export function useRefresh(seen: RefObject<[number, number]>, busy: boolean): void {
  useEffect(() => {
    const again = () => refresh(...seen.current)
    const timer = setInterval(
      () => {
        if (document.hidden) return
        again()
        if (busy) invalidate('/about')
      },
      busy ? BUSY : CALM,
    )
    const stop = onInvalidate((prefix) => '/conversations'.startsWith(prefix) && again())
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [seen, busy])
}
