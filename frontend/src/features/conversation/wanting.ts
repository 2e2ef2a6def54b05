// Which rows are asked for while the list moves: those in view at once, those around them when the reader stays near.

import { useEffect, useRef } from 'react'
import type { Pages } from './pages'

/** Rows beyond the view that are fetched, so that they are there when they come into view. */
const AHEAD = 25
/** After a jump the reader may jump on at once; what is around is only fetched if they do not. */
const STAYED = 160

/** Asks for the rows that are in view, unless the list rushes past them. */
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
