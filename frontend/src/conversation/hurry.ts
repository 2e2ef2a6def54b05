// Whoever rushes through the list cannot read: rows are only sketched until they slow down.

import { useEffect, useReducer, useRef } from 'react'

/** Pixels in a millisecond from which on rows are sketched: about three screens in ten frames. */
const FAST = 14
const REST = 70

interface Moment {
  offset: number
  time: number
}

/** Whether the list moves too fast to be read. */
export function tooFast(before: Moment, now: Moment): boolean {
  const passed = now.time - before.time
  return passed > 0 && passed < 150 && Math.abs(now.offset - before.offset) / passed > FAST
}

export interface Hurry {
  fast: boolean
  /** Jumps on purpose are no hurry. */
  calm: () => void
}

export function useHurry(offset: number, moving: boolean): Hurry {
  const last = useRef<Moment>({ offset, time: 0 })
  const calmUntil = useRef(0)
  const [, again] = useReducer((count: number) => count + 1, 0)
  const now = { offset, time: performance.now() }
  const fast = moving && now.time > calmUntil.current && tooFast(last.current, now)
  if (now.offset !== last.current.offset) last.current = now
  useEffect(() => {
    if (!fast) return
    const timer = setTimeout(again, REST)
    return () => clearTimeout(timer)
  })
  return { fast, calm: () => (calmUntil.current = performance.now() + 400) }
}
