import { describe, expect, it } from 'vitest'
import type { Row, Rows } from '../../data/api/types'
import { MOST_PAGES, PAGE, Pages } from './pages'

function row(number: number, id = `m${number}`): Row {
  return {
    number,
    id,
    parent: null,
    role: 'user',
    speaker: 'You',
    time: null,
    kind: 'message',
    flags: [],
    chips: [],
    blocks: [],
    siblings: null,
    sides: [],
    tokens: null,
    seconds: null,
    todos: null,
    files: 0,
    findings: [],
    inferred: false,
    edited: '',
    text: '',
  }
}

function server(total: number) {
  const asked: number[] = []
  const fetch = (from: number, limit: number): Promise<Rows> => {
    asked.push(from)
    const rows = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, i) => row(from + i))
    return Promise.resolve({ stamp: 's', leaf: 'l', total, start: from, rows })
  }
  return { asked, fetch }
}

const settled = () => new Promise((done) => setTimeout(done, 0))

describe('Pages', () => {
  it('asks once for what is in view and gives it by place', async () => {
    const { asked, fetch } = server(1000)
    const pages = new Pages(fetch, 1000, 's')
    pages.want(40, 60)
    pages.want(41, 61)
    await settled()
    expect(asked).toEqual([0, PAGE])
    expect(pages.row(59)?.id).toBe('m59')
    expect(pages.row(100)).toBeUndefined()
    expect(pages.find('m60')).toBe(60)
  })

  it('keeps a bounded number of pages, those seen last', async () => {
    const { fetch } = server(100_000)
    const pages = new Pages(fetch, 100_000, 's')
    for (let at = 0; at < 100_000; at += 500) {
      pages.want(at, at + 10)
      await settled()
    }
    expect(pages.size).toBeLessThanOrEqual(MOST_PAGES)
    expect(pages.row(99_500)?.number).toBe(99_500)
    expect(pages.row(0)).toBeUndefined()
  })

  it('shows old rows until the new ones are here', async () => {
    const { asked, fetch } = server(60)
    const pages = new Pages(fetch, 60, 's')
    pages.want(0, 10)
    await settled()
    pages.renew('t', 60)
    expect(pages.row(3)?.id).toBe('m3')
    pages.want(0, 10)
    await settled()
    expect(asked).toEqual([0, 0])
  })

  it('drops what is out of view before it came', async () => {
    const signals: AbortSignal[] = []
    const pages = new Pages(
      (_from, _limit, signal) => (signals.push(signal), new Promise(() => undefined)),
      10_000,
      's',
    )
    pages.want(0, 10)
    pages.want(5000, 5010)
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
  })

  it('shows seeds until their page is here', async () => {
    const { fetch } = server(100)
    const pages = new Pages(fetch, 100, 's')
    pages.seed([[99, row(-1, 'tail')]])
    expect(pages.row(99)?.id).toBe('tail')
    pages.want(99, 99)
    await settled()
    expect(pages.row(99)?.id).toBe('m99')
  })
})
