import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { again, invalidate, keyOf, onInvalidate, peek, watch } from './cache'

let number = 0
const fetched = vi.fn(async () => new Response(JSON.stringify({ number: ++number })))
/** Long enough for answers to arrive, on a busy machine too: turns of the loop count, not time. */
const rest = async () => {
  for (let turn = 0; turn < 15; turn++) await new Promise((done) => setTimeout(done))
}

beforeEach(() => {
  number = 0
  fetched.mockClear()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => vi.unstubAllGlobals())

it('knows a question by what it asks, not by its order', () => {
  expect(keyOf('/x', { a: 1, b: 2 })).toBe(keyOf('/x', { b: 2, a: 1, c: null }))
  expect(keyOf('/x', { a: 1 })).not.toBe(keyOf('/x', { a: 2 }))
})

it('asks once for many who look', async () => {
  const stop = [watch('/one', '/one', undefined, () => undefined), watch('/one', '/one', undefined, () => undefined)]
  await rest()
  expect(fetched).toHaveBeenCalledTimes(1)
  expect(peek('/one').data).toEqual({ number: 1 })
  stop.forEach((one) => one())
})

it('asks again what is looked at and forgets the rest', async () => {
  const told = vi.fn()
  const stop = watch('/two/a', '/two/a', undefined, told)
  watch('/two/b', '/two/b', undefined, () => undefined)()
  await rest()
  invalidate('/two')
  await rest()
  expect((peek('/two/a').data as { number: number }).number).toBeGreaterThan(1)
  expect(peek('/two/b').data).toBeUndefined()
  expect(told).toHaveBeenCalled()
  stop()
})

it('keeps the last answer while it asks again', async () => {
  const stop = watch('/three', '/three', undefined, () => undefined)
  await rest()
  again('/three')
  expect(peek('/three')).toMatchObject({ loading: true, data: { number: 1 } })
  await rest()
  expect(peek('/three')).toMatchObject({ loading: false, data: { number: 2 } })
  stop()
})

it('tells those who keep answers by themselves', () => {
  const told = vi.fn()
  const stop = onInvalidate(told)
  invalidate('/conversations')
  stop()
  invalidate('/conversations')
  expect(told).toHaveBeenCalledExactlyOnceWith('/conversations')
})
