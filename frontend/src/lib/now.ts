// The current time, updated every half minute.

import { makeStore, useStore } from './store'

const now = makeStore(Date.now())
setInterval(() => document.visibilityState !== 'hidden' && now.set(Date.now()), 30_000)

export function useNow(): number {
  return useStore(now)
}
