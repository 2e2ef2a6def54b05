// The one way to the server: every question of the page goes through here.

import { lost, reached } from './connection'
import { keyHeader, storeKey } from './key'
import type { Challenge, LoginResult, ErrorDetails, LockState, Login, Unlock, Upload } from './types'

export const BASE = '/api/v1'
/** The status of all answers while the library is locked. */
const LOCKED = 423

/** What a question is narrowed by; what is null, undefined or empty is left out, lists are repeated. */
export type Params = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** An answer that is an error, or no answer at all (status 0). */
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

/** A path with its varying parts encoded: path`/c/${cid}/messages/${id}`. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((made, part, at) => made + encodeURIComponent(String(values[at - 1])) + part)
}

/** The full address of a question, for downloads and event streams. */
export function address(where: string, params?: Params): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params ?? {})) {
    if (Array.isArray(value)) for (const one of value) query.append(name, one)
    else if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return BASE + where + (text ? `?${text}` : '')
}

/** Asks; has no effects. */
export function get<T>(where: string, params?: Params, signal?: AbortSignal): Promise<T> {
  return ask<T>('GET', address(where, params), undefined, signal)
}

/** Does. */
export function post<T>(where: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return ask<T>('POST', address(where), body ?? null, signal)
}

/** Exchanges a token for the key that goes with all questions. It is stored before anything learns that the server knows
    us: what the page asks then goes with it. */
export function enter(token: string): Promise<void> {
  return enterWith({ token })
}

/** What a remembered browser signs. That the server answers does not mean yet that it knows us. */
export function askChallenge(): Promise<Challenge> {
  return ask<Challenge>('POST', address('/challenge'), {}, undefined, undefined, false)
}

/** The same with a token or with what a remembered browser has signed. */
export async function enterWith(login: Login): Promise<void> {
  await ask<LoginResult>('POST', address('/login'), login, undefined, ({ key }) => storeKey(key))
}

/** Whether the library is locked. While it is, this is the only question with an answer. */
export function askLock(): Promise<LockState> {
  return ask<LockState>('GET', address('/lock'), undefined, undefined, undefined, false)
}

/** Unlocks the library; the secret is not kept anywhere. */
export function unlock(given: Unlock): Promise<LockState> {
  return ask<LockState>('POST', address('/unlock'), given, undefined, undefined, false)
}

/** Locks it. */
export function lock(): Promise<LockState> {
  return ask<LockState>('POST', address('/lock'), null, undefined, undefined, false)
}

/** Takes away. */
export function remove(where: string): Promise<void> {
  return ask<void>('DELETE', address(where))
}

/** Whether it only says that nobody waits for the answer any more. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** Anything that was thrown, as an error with words for people. */
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
    // Not ours, so its words are not for people.
  }
  return fault('server', `The server answered ${status}.`)
}

/** What begins with a word begins with a capital here; names of files and the like stay as they are. */
export function asSentence(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

function fault(kind: string, message: string, hint: string | null = null): ErrorDetails {
  return { kind, message, hint, exit_code: 1, stamp: null }
}

/** What an upload is: a packed folder, or a file to attach with the media type the browser takes it for. */
export interface UploadKind {
  folder?: boolean
  attach?: boolean
  type?: string
}

/** Brings a file or a packed folder in. XMLHttpRequest, because fetch does not tell how far an upload is. */
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
