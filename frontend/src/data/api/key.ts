// The key that only this page has. Browsers send the cookie to every port of the host; storage belongs to one port.

import { useEffect, useState } from 'react'

const STORED = 'talktree.key'
export const KEY_HEADER = 'x-talktree-key'

let signer: Promise<CryptoKey> | null = null
const tickets = new Map<string, string>()
/** Number of signed addresses that are cached. */
const REMEMBERED = 2000

export function storeKey(key: string): void {
  localStorage.setItem(STORED, key)
  signer = null
  tickets.clear()
}

/** The header that every request to the server has. */
export function keyHeader(): Record<string, string> {
  const key = localStorage.getItem(STORED)
  return key === null ? {} : { [KEY_HEADER]: key }
}

/** Returns an address with its ticket, for what the browser loads directly: images, frames and downloads. */
export async function sign(address: string): Promise<string> {
  const known = tickets.get(address)
  if (known !== undefined) return known
  signer ??= importKey(localStorage.getItem(STORED) ?? '')
  // As the browser sends it, which may escape more characters.
  const { pathname, search } = new URL(address, location.origin)
  const target = pathname + search
  const made = await crypto.subtle.sign('HMAC', await signer, new TextEncoder().encode(target))
  const signed = `${target}${search ? '&' : '?'}ticket=${base64url(new Uint8Array(made))}`
  tickets.set(address, signed)
  if (tickets.size > REMEMBERED) tickets.delete(tickets.keys().next().value as string)
  return signed
}

/** Returns the signed address; undefined until it is ready, and without an address. */
export function useSigned(address: string | null): string | undefined {
  const [signed, setSigned] = useState<{ address: string; signed: string }>()
  useEffect(() => {
    if (address === null) return
    let wanted = true
    void sign(address).then((made) => wanted && setSigned({ address, signed: made }))
    return () => {
      wanted = false
    }
  }, [address])
  if (address === null) return undefined
  return signed?.address === address ? signed.signed : tickets.get(address)
}

function importKey(key: string): Promise<CryptoKey> {
  // An empty key cannot be imported; without the right one the answer is the login page anyway.
  const bytes = new TextEncoder().encode(key || 'none')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}
