import { afterEach, describe, expect, it, vi } from 'vitest'
import { address, ApiError, asApiError, get, isAbort, path, post } from './client'

function answer(status: number, body: string): ReturnType<typeof vi.fn> {
  const made = vi.fn(async () => new Response(status === 204 ? null : body, { status }))
  vi.stubGlobal('fetch', made)
  return made
}

afterEach(() => vi.unstubAllGlobals())

describe('addresses', () => {
  it('encodes what varies', () => {
    expect(path`/c/${'1.2'}/messages/${'a/b?c#d'}`).toBe('/c/1.2/messages/a%2Fb%3Fc%23d')
  })

  it('leaves out what says nothing and repeats lists', () => {
    expect(address('/x', { a: '', b: null, c: undefined, d: 0, e: false, f: ['1', '2'] })).toBe(
      '/api/v1/x?d=0&e=false&f=1&f=2',
    )
    expect(address('/x')).toBe('/api/v1/x')
  })
})

describe('answers', () => {
  it('gives what the server says', async () => {
    answer(200, '{"a":1}')
    expect(await get('/x')).toEqual({ a: 1 })
  })

  it('has nothing for 204', async () => {
    answer(204, '')
    expect(await post('/x', {})).toBeUndefined()
  })

  it('marks what changes something', async () => {
    const fetched = answer(200, '{}')
    await post('/x', { a: 1 })
    const [, options] = fetched.mock.calls[0] as unknown as [string, RequestInit]
    expect(options.headers).toMatchObject({ 'x-talktree': '1', 'content-type': 'application/json' })
    expect(options.body).toBe('{"a":1}')
  })

  it('throws the fault of an error', async () => {
    answer(409, '{"error":{"kind":"stale","message":"changed","hint":null,"exit_code":1,"stamp":"s2"}}')
    const thrown = await get('/x').catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ApiError)
    expect((thrown as ApiError).status).toBe(409)
    expect((thrown as ApiError).fault.stamp).toBe('s2')
  })

  it('never shows a body that is not ours', async () => {
    answer(502, '<html>secret')
    const thrown = asApiError(await get('/x').catch((error: unknown) => error))
    expect(thrown.message).toBe('The server answered 502.')
  })

  it('says that nobody answers', async () => {
    vi.stubGlobal(
      'fetch',
      vi.fn(async () => Promise.reject(new TypeError('failed'))),
    )
    const thrown = asApiError(await get('/x').catch((error: unknown) => error))
    expect([thrown.status, thrown.fault.kind]).toEqual([0, 'unreachable'])
  })

  it('passes on that somebody went away', async () => {
    vi.stubGlobal(
      'fetch',
      vi.fn(async () => Promise.reject(new DOMException('', 'AbortError'))),
    )
    expect(isAbort(await get('/x').catch((error: unknown) => error))).toBe(true)
  })
})
