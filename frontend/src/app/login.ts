// Login: exchanges the token in the address for a cookie and a key, and removes it from the address immediately.

import { enterRemembered } from '../data/api/browser'
import { enter } from '../data/api/client'
import { invalidate } from '../data/api/cache'
import { lost } from '../data/api/connection'
import { currentRoute, format } from '../lib/router'

/** Returns the token in a fragment or in a pasted address. */
export function tokenIn(text: string): string | null {
  const match = /(?:^|[#&])token=([A-Za-z0-9_-]+)/.exec(text.trim())
  if (match) return match[1] as string
  return /^[A-Za-z0-9_-]{20,}$/.test(text.trim()) ? text.trim() : null
}

/** Takes the token out of the address, before other code can see it, and restores the route. */
export function takeToken(): string | null {
  if (!location.hash.startsWith('#token=')) return null
  const token = tokenIn(location.hash)
  history.replaceState(null, '', location.pathname + format(currentRoute()))
  return token
}

/** Handles an address with a token that is opened in an existing tab. */
export function watchForToken(): () => void {
  const look = () => {
    const token = takeToken()
    if (token) login(token).catch(() => lost('login'))
  }
  addEventListener('hashchange', look)
  return () => removeEventListener('hashchange', look)
}

export async function login(token: string): Promise<void> {
  await enter(token)
  invalidate('/')
}

/** Logs in if this browser is remembered, and returns whether it is. */
export async function loginRemembered(): Promise<boolean> {
  const entered = await enterRemembered()
  if (entered) invalidate('/')
  return entered
}
