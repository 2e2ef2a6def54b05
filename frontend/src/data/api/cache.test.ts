import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ask, invalidate, invalidateConversation, keyOf, peek, putConversation, queries, question } from './cache'
import type { ConversationDetails } from './types'

let number = 0
const fetched = vi.fn(async () => new Response(JSON.stringify({ number: ++number })))
/** Long enough for answers to arrive, even on a busy machine: event loop turns count, not time. */
const rest = async () => {
  for (let turn = 0; turn < 15; turn++) await new Promise((done) => setTimeout(done))
}
const watch = (where: string) => new QueryObserver(queries, question(where)).subscribe(() => undefined)

beforeEach(() => {
  number = 0
  fetched.mockClear()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => {
  queries.clear()
  vi.unstubAllGlobals()
})

it('knows a question by what it asks', () => {
  expect(keyOf('/x', { a: 1, b: 2 })).toEqual(keyOf('/x', { b: 2, a: 1, c: null }))
  expect(keyOf('/x', { a: 1 })).not.toEqual(keyOf('/x', { a: 2 }))
})

it('asks once for many who look', async () => {
  const stop = [watch('/one'), watch('/one')]
  await rest()
  expect(fetched).toHaveBeenCalledTimes(1)
  expect(peek('/one')).toEqual({ number: 1 })
  stop.forEach((one) => one())
})

it('asks again what is looked at, and the rest when it is needed', async () => {
  const stop = watch('/two/a')
  watch('/two/b')()
  await rest()
  const before = fetched.mock.calls.length
  invalidate('/two')
  await rest()
  expect(fetched.mock.calls.length).toBe(before + 1)
  stop()
})

it('takes a conversation for old with all that goes with it, and no other one', async () => {
  const stops = ['/c/1', '/c/1/graph', '/c/1/edits', '/c/12'].map(watch)
  await rest()
  fetched.mockClear()
  invalidateConversation('1', ['/c/1/edits'])
  await rest()
  expect(fetched.mock.calls.map((call) => String((call as unknown[])[0]))).toEqual(['/api/v1/c/1', '/api/v1/c/1/graph'])
  stops.forEach((stop) => stop())
})

it('prefers a state that came with an edit to an answer that is on its way', async () => {
  const stop = watch('/c/1')
  putConversation({ cid: '1', stamp: 'newer' } as ConversationDetails)
  await rest()
  expect(peek('/c/1')).toMatchObject({ stamp: 'newer' })
  stop()
})

it('leaves answers about one revision alone when the conversation changes', async () => {
  const asked = { queryKey: [...keyOf('/c/1/rows', { from: 0 }), 'revision'], queryFn: question('/c/1/rows').queryFn }
  const stop = new QueryObserver(queries, asked).subscribe(() => undefined)
  await rest()
  invalidateConversation('1')
  await rest()
  expect(fetched).toHaveBeenCalledTimes(1)
  invalidate('/')
  await rest()
  expect(fetched).toHaveBeenCalledTimes(2)
  stop()
})

it('answers who asked although the question was dropped meanwhile', async () => {
  const stop = watch('/three')
  const answer = ask('/three')
  stop()
  expect(await answer).toEqual({ number: 2 })
})
