// Questions to the server as hooks.

import { useCallback, useRef, useSyncExternalStore } from 'react'
import { again as askAgain, invalidate, keyOf, peek, watch, type Answer } from './cache'
import type { Params } from './client'

export { invalidate }

export interface Got<T> extends Answer<T> {
  again: () => void
}

/** The answer to a question; null asks nothing. With `keep` the last answer stays until the next one is there. */
export function useGet<T>(where: string | null, params?: Params, options?: { keep?: boolean }): Got<T> {
  const key = where === null ? null : keyOf(where, params)
  const asked = useRef({ where, params })
  asked.current = { where, params }
  const subscribe = useCallback(
    (listener: () => void) => {
      if (key === null) return () => undefined
      return watch(key, asked.current.where as string, asked.current.params, listener)
    },
    [key],
  )
  const answer = useSyncExternalStore(subscribe, () => peek<T>(key))
  const last = useRef<T | undefined>(undefined)
  if (answer.data !== undefined) last.current = answer.data
  const again = useCallback(() => key !== null && askAgain(key), [key])
  return { ...answer, data: answer.data ?? (options?.keep ? last.current : undefined), again }
}
