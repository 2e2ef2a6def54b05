// Whoever rushes through the list cannot read: rows are only sketched, and not asked for, until they slow down.

import { useEffect, useReducer, useRef } from 'react'

/** Pixels in a millisecond from which on it is a rush: about three screens in ten frames. */
const FAST = 14
/** And below which it is none any more. Only one speed would make it one and none by turns: drawing a row takes time, and what
    takes time is slow. */
const SLOW = 4
/** How long it may stand still and still be a rush, in milliseconds. */
const REST = 90
/** What comes after a longer pause is a jump, not a rush. */
const PAUSE = 150

interface Moment {
  offset: number
  time: number
}

/** Where the list was last, and until when it counts as rushing. */
export interface Rush extends Moment {
  until: number
}

/** The next moment of a list that moved or did not. */
export function rushed(before: Rush, { offset, time }: Moment): Rush {
  const passed = time - before.time
  if (offset === before.offset || passed <= 0) return before
  const speed = Math.abs(offset - before.offset) / passed
  const goesOn = before.until > before.time && time < before.until + PAUSE && speed > SLOW
  const begins = passed < PAUSE && speed > FAST
  return { offset, time, until: goesOn || begins ? time + REST : 0 }
}

export interface Hurry {
  fast: boolean
  /** Jumps on purpose are no hurry. */
  calm: () => void
}

export function useHurry(offset: number, moving: boolean): Hurry {
  const last = useRef<Rush>({ offset, time: 0, until: 0 })
  const calmUntil = useRef(0)
  const [, again] = useReducer((count: number) => count + 1, 0)
  const time = performance.now()
  last.current = rushed(last.current, { offset, time })
  const { until } = last.current
  const fast = moving && time > calmUntil.current && time < until
  useEffect(() => {
    if (!fast) return
    const timer = setTimeout(again, until - performance.now() + 1)
    return () => clearTimeout(timer)
  }, [fast, until])
  return { fast, calm: () => (calmUntil.current = performance.now() + 400) }
}
