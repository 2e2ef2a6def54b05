// Number of new rows that the reader has not seen yet.

import { useEffect, useRef } from 'react'

/** Returns the number of rows below that were added since the reader was last at the end. */
export function useUnseen(key: string, total: number, atEnd: boolean): number {
  const seen = useRef({ key, total })
  const next = unseen(seen.current, key, total, atEnd)
  useEffect(() => {
    seen.current = next.seen
  })
  return next.count
}

interface Seen {
  key: string
  total: number
}

/** Returns what is seen now, and the number of unseen rows. */
export function unseen(before: Seen, key: string, total: number, atEnd: boolean): { seen: Seen; count: number } {
  if (before.key !== key || atEnd || total < before.total) return { seen: { key, total }, count: 0 }
  return { seen: before, count: total - before.total }
}
