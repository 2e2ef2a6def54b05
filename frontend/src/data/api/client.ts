// The HTTP client: every request of the page goes through this module.

import { lost, reached } from './connection'
import { keyHeader, storeKey } from './key'
import type { Challenge, LoginResult, ErrorDetails, LockState, Login, Unlock, Upload } from './types'

export const BASE = '/api/v1'
/** The status of all answers while the library is locked. */
const LOCKED = 423

/** Query parameters; null, undefined and empty ones are left out, lists are repeated. */
export type Params = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** An error answer, or no answer at all (status 0). */
export class ApiError extends Error {
  readonly fault: ErrorDetails
  readonly status: number

  constructor(reported: ErrorDetails, status: number) {
    super(reported.message)
    this.name = 'ApiError'
    this.fault = reported
    this.status = status
  }
}

/** A path with its variable parts encoded: path`/c/${cid}/messages/${id}`. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((made, part, at) => made + encodeURIComponent(String(values[at - 1])) + part)
}

/** Returns the full address of a request, for downloads and event streams. */
export function address(where: string, params?: Params): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params ?? {})) {
    if (Array.isArray(value)) for (const one of value) query.append(name, one)
    else if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return BASE + where + (text ? `?${text}` : '')
}

/** Sends a GET request, which has no effects. */
export function get<T>(where: string, params?: Params, signal?: AbortSignal): Promise<T> {
  return ask<T>('GET', address(where, params), undefined, signal)
}

/** Sends a POST request. */
export function post<T>(where: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return ask<T>('POST', address(where), body ?? null, signal)
}

/**
 * Exchanges a token for the key that is sent with all requests. It is stored before the connection counts as logged in:
 * requests that follow contain it.
 */
export function enter(token: string): Promise<void> {
  return enterWith({ token })
}

/** Returns the challenge that a remembered browser signs. Getting it does not mean being logged in. */
export function askChallenge(): Promise<Challenge> {
  return ask<Challenge>('POST', address('/challenge'), {}, undefined, undefined, false)
}

/** Logs in with a token or with a signed challenge. */
export async function enterWith(login: Login): Promise<void> {
  await ask<LoginResult>('POST', address('/login'), login, undefined, ({ key }) => storeKey(key))
}

/** Returns whether the library is locked. While it is, only this request is answered. */
export function askLock(): Promise<LockState> {
  return ask<LockState>('GET', address('/lock'), undefined, undefined, undefined, false)
}

/** Unlocks the library; the secret is not stored. */
export function unlock(given: Unlock): Promise<LockState> {
  return ask<LockState>('POST', address('/unlock'), given, undefined, undefined, false)
}

/** Locks the library. */
export function lock(): Promise<LockState> {
  return ask<LockState>('POST', address('/lock'), null, undefined, undefined, false)
}

/** Sends a DELETE request. */
export function remove(where: string): Promise<void> {
  return ask<void>('DELETE', address(where))
}

/** Whether an error only means that the request was cancelled. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** Returns any thrown value as an error with a readable message. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ApiError(fault('page', message), 0)
}

async function ask<T>(
  method: string,
  where: string,
  body?: unknown,
  signal?: AbortSignal,
  onAnswer?: (answer: T) => void,
  isKnown = true,
): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json', ...keyHeader() }
  if (method !== 'GET') headers['x-talktree'] = '1'
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response: Response
  try {
    const content = body === undefined ? null : JSON.stringify(body)
    response = await fetch(where, {
      method,
      headers,
      body: content,
      signal: signal ?? null,
      credentials: 'same-origin',
    })
  } catch (error) {
    if (isAbort(error)) throw error
    lost('gone')
    throw new ApiError(fault('unreachable', 'The server does not answer.', 'Start talktree studio again.'), 0)
  }
  return read<T>(response.status, await response.text(), onAnswer, isKnown)
}

function read<T>(status: number, text: string, onAnswer?: (answer: T) => void, isKnown = true): T {
  if (status === 401) lost('login')
  if (status === LOCKED) lost('locked')
  const isOk = status >= 200 && status < 300
  const answer = (isOk && text ? JSON.parse(text) : undefined) as T
  if (isOk) onAnswer?.(answer)
  if (status !== 401 && status !== LOCKED && isKnown) reached()
  if (isOk) return answer
  throw new ApiError(faultOf(status, text), status)
}

function faultOf(status: number, text: string): ErrorDetails {
  try {
    const said = JSON.parse(text) as { error?: ErrorDetails }
    if (said.error) return { ...said.error, message: asSentence(said.error.message) }
  } catch {
    // Not our own error, so its message is not shown.
  }
  return fault('server', `The server answered ${status}.`)
}

/** Capitalizes a text that begins with a word; file names and the like are unchanged. */
export function asSentence(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

function fault(kind: string, message: string, hint: string | null = null): ErrorDetails {
  return { kind, message, hint, exit_code: 1, stamp: null }
}

/** The kind of an upload: a packed folder, or a file to attach with the media type that the browser detects. */
export interface UploadKind {
  folder?: boolean
  attach?: boolean
  type?: string
}

/** Uploads a file or a packed folder. Uses XMLHttpRequest, because fetch does not report progress. */
export function upload(
  name: string,
  blob: Blob,
  { folder, attach, type }: UploadKind,
  onProgress?: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(
      'POST',
      address('/uploads', { name, folder: folder || null, attach: attach || null, type: type || null }),
    )
    request.setRequestHeader('x-talktree', '1')
    for (const [header, value] of Object.entries(keyHeader())) request.setRequestHeader(header, value)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = (event) => onProgress?.(event.loaded, event.lengthComputable ? event.total : blob.size)
    request.onload = () => {
      try {
        resolve(read<Upload>(request.status, request.responseText))
      } catch (error) {
        reject(error)
      }
    }
    request.onerror = () => reject(new ApiError(fault('unreachable', 'The upload broke off.'), 0))
    request.onabort = () => reject(new DOMException('Cancelled', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort())
    request.send(blob)
  })
}
