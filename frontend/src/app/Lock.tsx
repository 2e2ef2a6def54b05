// Locks an encrypted library, and notices when it was locked in another window.

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

/** Checks whether the library was locked elsewhere while it is shown here. */
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

/** Removes all data of the library from the page: reloads it if it has shown any. */
export function leaveShown(): void {
  if (!shown) return
  forgetDrafts()
  const { cid, message, leaf } = currentRoute()
  history.replaceState(null, '', location.pathname + format({ cid, message, leaf }))
  location.reload()
}

/** Other requests report that the server is not available. */
function ignore(): void {
  return
}
