// Login: the token of the address is exchanged for a cookie and a key, and leaves the address at once.

import { enterRemembered } from '../data/api/browser'
import { enter } from '../data/api/client'
import { invalidate } from '../data/api/cache'
import { lost } from '../data/api/connection'
import { currentRoute, format } from '../lib/router'

/** The token in a fragment or in an address somebody pasted. */
export function tokenIn(text: string): string | null {
  const match = /(?:^|[#&])token=([A-Za-z0-9_-]+)/.exec(text.trim())
  if (match) return match[1] as string
  return /^[A-Za-z0-9_-]{20,}$/.test(text.trim()) ? text.trim() : null
}

/** Takes the token out of the address, before anything else can see it; the place takes its place. */
export function takeToken(): string | null {
  if (!location.hash.startsWith('#token=')) return null
  const token = tokenIn(location.hash)
  history.replaceState(null, '', location.pathname + format(currentRoute()))
  return token
}

/** For an address with a token that is opened in a tab that is here already. */
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

/** Enters if this browser is remembered; whether it is. */
export async function loginRemembered(): Promise<boolean> {
  const entered = await enterRemembered()
  if (entered) invalidate('/')
  return entered
}
