import { afterEach, describe, expect, it, vi } from 'vitest'
import { queries } from '../../data/api/cache'
import type { Row } from '../../data/api/types'
import { MOST_PAGES, PAGE, Pages } from './pages'
import { makeRow, serveRows } from './testRows'

const row = (number: number, id = `m${number}`): Row => makeRow({ number, id })

function server(total: number) {
  const state = { total, stamp: 's' }
  const rows = (from: number, limit: number) =>
    Array.from({ length: Math.max(0, Math.min(limit, state.total - from)) }, (_, i) => row(from + i))
  return {
    state,
    ...serveRows(
      rows,
      () => state.total,
      () => state.stamp,
    ),
  }
}

/** Long enough for answers to arrive, even on a busy machine: event loop turns count, not time. */
const settled = async () => {
  for (let turn = 0; turn < 15; turn++) await new Promise((done) => setTimeout(done))
}
const BRANCH = { cid: '1', leaf: null, show: '' }

afterEach(() => {
  queries.clear()
  vi.unstubAllGlobals()
})

describe('Pages', () => {
  it('asks once for what is in view and gives it by place', async () => {
    const { asked } = server(1000)
    const pages = new Pages(BRANCH, 1000, 's')
    pages.want(40, 60)
    pages.want(41, 61)
    await settled()
    expect(asked).toEqual([0, PAGE])
    expect(pages.row(59)?.id).toBe('m59')
    expect(pages.row(100)).toBeUndefined()
    expect(pages.find('m60')).toBe(60)
    pages.close()
  })

  it('keeps a bounded number of pages, those seen last', async () => {
    server(100_000)
    const pages = new Pages(BRANCH, 100_000, 's')
    for (let at = 0; at < 100_000; at += 1000) {
      pages.want(at, at + 10)
      await settled()
    }
    expect(pages.size).toBeLessThanOrEqual(MOST_PAGES)
    expect(queries.getQueryCache().getAll().length).toBeLessThanOrEqual(MOST_PAGES)
    expect(pages.row(99_000)?.number).toBe(99_000)
    expect(pages.row(0)).toBeUndefined()
    pages.close()
  })

  it('shows old rows until the new ones are here, and the new number of rows at once', async () => {
    const { asked, state } = server(60)
    const pages = new Pages(BRANCH, 60, 's')
    pages.want(0, 10)
    await settled()
    Object.assign(state, { stamp: 't', total: 61 })
    pages.renew('t', 61)
    expect([pages.row(3)?.id, pages.total, pages.isFresh(3, 't')]).toEqual(['m3', 61, false])
    await settled()
    expect([pages.row(3)?.id, pages.total, pages.isFresh(3, 't')]).toEqual(['m3', 61, true])
    expect(asked).toEqual([0, 0])
    pages.close()
  })

  it('knows the rows of a revision that comes back', async () => {
    const { asked, state } = server(60)
    const pages = new Pages(BRANCH, 60, 's')
    pages.want(0, 10)
    await settled()
    state.stamp = 't'
    pages.renew('t', 60)
    await settled()
    pages.renew('s', 60)
    expect(pages.isFresh(3, 's')).toBe(true)
    await settled()
    expect(asked).toEqual([0, 0])
    pages.close()
  })

  it('asks again for rows of another revision than was known', async () => {
    const { asked, state } = server(60)
    state.stamp = 'newer'
    const pages = new Pages(BRANCH, 60, 's')
    pages.want(0, 10)
    await settled()
    expect(pages.isFresh(3, 's')).toBe(false)
    pages.renew('newer', 60)
    await settled()
    state.stamp = 's'
    pages.renew('s', 60)
    await settled()
    expect([pages.isFresh(3, 's'), asked]).toEqual([true, [0, 0, 0]])
    pages.close()
  })

  it('drops what is out of view before it came', async () => {
    const { signals } = server(10_000)
    const pages = new Pages(BRANCH, 10_000, 's')
    pages.want(0, 10)
    pages.want(5000, 5010)
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
    pages.close()
  })

  it('gives a row that is looked for, whatever else becomes of its page', async () => {
    server(10_000)
    const pages = new Pages(BRANCH, 10_000, 's')
    pages.want(0, 10)
    const looking = pages.load(3)
    pages.want(5000, 5010)
    expect((await looking)?.id).toBe('m3')
    pages.close()
  })

  it('shows seeds until their page is here', async () => {
    server(100)
    const pages = new Pages(BRANCH, 100, 's')
    pages.seed([[99, row(-1, 'tail')]])
    expect(pages.row(99)?.id).toBe('tail')
    pages.want(99, 99)
    await settled()
    expect(pages.row(99)?.id).toBe('m99')
    pages.close()
  })
})
