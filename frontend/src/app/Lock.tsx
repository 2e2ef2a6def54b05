// Locking an encrypted library: the command, and noticing that it was locked in another window.

import { useEffect } from 'react'
import { asApiError, askLock, lock } from '../data/api/client'
import { lost } from '../data/api/connection'
import { forgetDrafts } from '../data/stored'
import { currentRoute, format } from '../lib/router'
import { useKeys } from '../ui/keys/use'
import { toast } from '../ui/Toast'

export const LOCK = 'Lock the library'
const EVERY = 2000
let shown = false

/** Locks the library, for all windows and for commands. */
export async function lockNow(): Promise<void> {
  try {
    await lock()
    lost('locked')
  } catch (error) {
    toast(asApiError(error).message, 'error')
  }
}

export function LockKeys(): null {
  useKeys([{ text: LOCK, group: 'Everywhere', run: () => void lockNow() }])
  return null
}

/** Asks whether the library was locked elsewhere while it is shown here. */
export function LockWatch(): null {
  useEffect(() => {
    shown = true
    forgetDrafts()
    const look = () => void askLock().then(({ locked }) => locked && lost('locked'), ignore)
    const timer = setInterval(look, EVERY)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return null
}

/** Nothing of the library stays in the page: it is loaded anew if it has shown any of it. */
export function leaveShown(): void {
  if (!shown) return
  forgetDrafts()
  const { cid, message, leaf } = currentRoute()
  history.replaceState(null, '', location.pathname + format({ cid, message, leaf }))
  location.reload()
}

/** Other questions find out that the server is away. */
function ignore(): void {
  return
}
