// Searches a branch from the reader's place, around to there again, and reports the matches so far.

import { ask } from '../../data/api/cache'
import { path } from '../../data/api/client'
import type { FoundRows } from '../../data/api/types'

export interface Finding {
  /** Numbers of rows, in order. */
  numbers: number[]
  /** Whether everything was searched. */
  complete: boolean
  /** Whether everything below the reader's place was searched. */
  around: boolean
}

/** More matches are not useful to step through. */
const MOST = 5000

export type Look = (from: number) => Promise<FoundRows>

export function lookIn(cid: string, leaf: string | null, text: string): Look {
  return (from) => ask<FoundRows>(path`/c/${cid}/find`, { leaf, text, from })
}

/** Finds rows, the nearest ones below first; `tell` is called whenever there are more. */
export async function find(
  look: Look,
  start: number,
  tell: (finding: Finding) => void,
  signal: AbortSignal,
): Promise<void> {
  const below: number[] = []
  const above: number[] = []
  const all = (around: boolean, complete = false) => tell({ numbers: [...above, ...below], complete, around })
  for await (const some of stretches(look, start, signal)) {
    below.push(...some)
    all(false)
    if (below.length >= MOST) return all(false)
  }
  if (start > 0) {
    for await (const some of stretches(look, 0, signal, start)) {
      above.push(...some.filter((number) => number < start))
      all(true)
    }
  }
  if (!signal.aborted) all(true, true)
}

async function* stretches(look: Look, start: number, signal: AbortSignal, until = Infinity): AsyncGenerator<number[]> {
  for (let from = start; !signal.aborted;) {
    const found = await look(from)
    if (signal.aborted) return
    yield found.numbers
    if (found.complete || found.next <= from || found.next >= until) return
    from = found.next
  }
}
