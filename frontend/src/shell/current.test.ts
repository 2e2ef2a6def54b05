import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { getCurrent, grown, openRoute, reload, select, showLeaf } from './current'
import { go, NO_FILTERS } from './router'

/** Long enough for answers to arrive, on a busy machine too: turns of the loop count, not time. */
const rest = async () => {
  for (let turn = 0; turn < 15; turn++) await new Promise((done) => setTimeout(done))
}
const route = (cid: string | null, message: string | null = null, leaf: string | null = null) => ({ cid, message, leaf, filters: NO_FILTERS })
let stamp = 's1'

beforeEach(() => {
  stamp = 's1'
  vi.stubGlobal('fetch', vi.fn(async (address: string) => {
    if (address.endsWith('/c/none')) return new Response('{"error":{"kind":"not_found","message":"no such","hint":null,"exit_code":3,"stamp":null}}', { status: 404 })
    return new Response(JSON.stringify({ cid: '1', leaf: 'end', stamp, rows: 3 }))
  }))
  openRoute(route(null))
})
afterEach(() => vi.unstubAllGlobals())

it('opens what the address names', async () => {
  openRoute(route('1', 'm'))
  expect(getCurrent()).toMatchObject({ cid: '1', selected: 'm', loading: true, conversation: null })
  await rest()
  expect(getCurrent()).toMatchObject({ leaf: 'end', stamp: 's1', loading: false })
})

it('says what is wrong', async () => {
  openRoute(route('none'))
  await rest()
  expect(getCurrent().error?.status).toBe(404)
})

it('writes the place into the address, a little later', async () => {
  go(route('1'))
  openRoute(route('1'))
  await rest()
  select('a')
  showLeaf('other', 'b')
  await vi.waitFor(() => expect(location.hash).toBe('#/c/1/m/b?leaf=other'))
})

it('shows what an edit made', async () => {
  openRoute(route('1'))
  await rest()
  stamp = 's2'
  await reload({ leaf: 'new', id: 'n', stamp: 's2' })
  expect(getCurrent()).toMatchObject({ leaf: 'new', selected: 'n', stamp: 's2' })
})

it('goes along with the current branch only', async () => {
  openRoute(route('1'))
  await rest()
  grown({ stamp: 's3', leaf: 'end2', rows: 4, messages: 6, size: 9, last: 1 })
  expect(getCurrent()).toMatchObject({ leaf: 'end2', stamp: 's3' })
  showLeaf('old')
  grown({ stamp: 's4', leaf: 'end3', rows: 5, messages: 7, size: 9, last: 1 })
  expect(getCurrent()).toMatchObject({ leaf: 'old', stamp: 's4' })
})
