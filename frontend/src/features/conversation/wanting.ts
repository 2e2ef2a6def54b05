// Which rows are requested while the list moves: visible ones immediately, those around them when the reader stays.

import { useEffect, useRef } from 'react'
import type { Pages } from './pages'

/** Rows beyond the view that are requested ahead. */
const AHEAD = 25
/** After a jump the reader may jump on immediately; surrounding rows are only requested if they do not. */
const STAYED = 160

/** Requests the visible rows, unless the list scrolls fast. */
export function useWanted(pages: Pages, first: number, last: number, rushing: boolean): void {
  const seen = useRef({ pages, first: -Infinity, last: -Infinity })
  const version = pages.snapshot()
  useEffect(() => {
    if (rushing) return
    const near =
      seen.current.pages === pages && first <= seen.current.last + AHEAD && last >= seen.current.first - AHEAD
    seen.current = { pages, first, last }
    if (near) {
      pages.want(first - AHEAD, last + AHEAD)
      return
    }
    pages.want(first, last)
    const timer = setTimeout(() => pages.want(first - AHEAD, last + AHEAD), STAYED)
    return () => clearTimeout(timer)
  }, [pages, first, last, rushing, version])
}
