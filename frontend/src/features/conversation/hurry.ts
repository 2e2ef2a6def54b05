// Fast scrolling: rows are only placeholders, and not requested, until it slows down.

import { useEffect, useReducer, useRef } from 'react'

/** Speed in pixels per millisecond above which scrolling is fast: about three screens in ten frames. */
const FAST = 14
/**
 * Speed below which it is not fast any more. With a single threshold it would alternate: drawing rows slows down
 * scrolling, which would stop drawing them.
 */
const SLOW = 4
/** Maximum pause within fast scrolling, in milliseconds. */
const REST = 90
/** A movement after a longer pause is a jump, not fast scrolling. */
const PAUSE = 150

interface Moment {
  offset: number
  time: number
}

/** The last position of the list, and until when it counts as scrolling fast. */
export interface Rush extends Moment {
  until: number
}

/** Returns the next state of a list that moved or did not. */
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
  /** Intended jumps do not count as fast scrolling. */
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
