// Remembers this browser in the studio: with a non-extractable key in the storage of this origin.

import { makeStore } from '../../lib/store'
import { askChallenge, enterWith, path, post, remove } from './client'
import type { BrowserName } from './types'

const DATABASE = 'talktree'
const STORE = 'browser'
const PURPOSE = 'talktree remembered browser 1'
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' }

interface StoredBrowser {
  id: string
  key: CryptoKey
}

/** Whether this browser is remembered; null until known. */
export const isRemembered = makeStore<boolean | null>(null)

/** Checks whether this browser is remembered. */
export async function lookForBrowser(): Promise<void> {
  isRemembered.set((await stored().catch(() => undefined)) !== undefined)
}

/** Creates a key pair, sends the public key to the server, and stores the private one here. */
export async function rememberBrowser(): Promise<void> {
  const pair = await crypto.subtle.generateKey(CURVE, false, ['sign', 'verify'])
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const { browser } = await post<BrowserName>('/browsers', { public_key: base64url(point), label: describeBrowser() })
  await change((store) => store.put({ id: browser, key: pair.privateKey }, 0))
  isRemembered.set(true)
}

/** Deletes the key, here and on the server. */
export async function forgetBrowser(): Promise<void> {
  const known = await stored()
  await change((store) => store.delete(0))
  isRemembered.set(false)
  if (known) await remove(path`/browsers/${known.id}`)
}

/** Logs in as a remembered browser; false if it is not one, or the studio has forgotten it. */
export async function enterRemembered(): Promise<boolean> {
  const known = await stored().catch(() => undefined)
  if (!known) return false
  try {
    const { nonce } = await askChallenge()
    const text = [PURPOSE, location.origin, known.id, nonce].join('\n')
    const made = await crypto.subtle.sign(SIGNATURE, known.key, new TextEncoder().encode(text))
    await enterWith({ browser: known.id, nonce, proof: base64url(new Uint8Array(made)) })
    return true
  } catch {
    return false
  }
}

/** A label by which the user recognises this browser. */
function describeBrowser(): string {
  const found = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(navigator.userAgent)
  const system = /\(([^;)]+)/.exec(navigator.userAgent)?.[1] ?? ''
  return found ? `${found[1]} ${found[2]}${system ? `, ${system}` : ''}` : navigator.userAgent.slice(0, 80)
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('The storage of the browser cannot be opened.'))
  })
}

async function stored(): Promise<StoredBrowser | undefined> {
  const database = await openDatabase()
  return new Promise<StoredBrowser | undefined>((resolve, reject) => {
    const request = database.transaction(STORE).objectStore(STORE).get(0)
    request.onsuccess = () => resolve(request.result as StoredBrowser | undefined)
    request.onerror = () => reject(request.error ?? new Error('The storage of the browser cannot be read.'))
  }).finally(() => database.close())
}

async function change(act: (store: IDBObjectStore) => void): Promise<void> {
  const database = await openDatabase()
  return new Promise<void>((resolve, reject) => {
    const transaction = database.transaction(STORE, 'readwrite')
    transaction.oncomplete = () => resolve()
    transaction.onerror = () => reject(transaction.error ?? new Error('The storage of the browser is full.'))
    act(transaction.objectStore(STORE))
  }).finally(() => database.close())
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}
