// Growth of the conversation that is open, as it happens.

import { useEffect } from 'react'
import { address, path } from '../api/client'
import { makeStore, useStore } from '../api/store'
import type { Changed } from '../api/types'
import { invalidate } from '../api/use'
import { getCurrent, grown, reload } from '../shell/current'

/** `idle`: it is listened to; `growing`: it grew a moment ago. */
export type LiveDot = 'off' | 'idle' | 'growing'

const dot = makeStore<LiveDot>('off')
/** What goes with the conversation is asked for again at most this often. */
const REST = 2000
const GROWING = 6000

export function useLiveDot(): LiveDot {
  return useStore(dot)
}

/** Listens while the conversation is shown. */
export function useLive(cid: string | null): void {
  useEffect(() => (cid === null ? undefined : listen(cid)), [cid])
}

function listen(cid: string): () => void {
  if (typeof EventSource === 'undefined') return () => undefined
  let rest: ReturnType<typeof setTimeout> | undefined
  let calm: ReturnType<typeof setTimeout> | undefined
  const source = new EventSource(address(path`/c/${cid}/live`))
  source.onopen = () => dot.set('idle')
  source.onerror = () => dot.set('off')
  source.addEventListener('changed', (event) => {
    const changed = read((event as MessageEvent<string>).data)
    if (!changed || getCurrent().cid !== cid || changed.stamp === getCurrent().stamp) return
    take(changed)
    dot.set('growing')
    clearTimeout(calm)
    calm = setTimeout(() => dot.set('idle'), GROWING)
    rest ??= setTimeout(() => ((rest = undefined), invalidate(path`/c/${cid}/`)), REST)
  })
  return () => {
    source.close()
    clearTimeout(rest)
    clearTimeout(calm)
    dot.set('off')
  }
}

function take(changed: Changed): void {
  const { conversation } = getCurrent()
  // It became another one, or shorter: all of it is asked for.
  if (!conversation || changed.rows < conversation.rows) void reload()
  else grown(changed)
}

function read(data: string): Changed | null {
  try {
    return JSON.parse(data) as Changed
  } catch {
    return null
  }
}
