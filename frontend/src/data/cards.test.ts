import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Card } from './api/types'
import { NO_FILTERS } from '../lib/router'
import { cardAt, indexOf, knownCards, need, neighbourOf, refresh, show, STRETCH } from './cards'
import { letters } from '../features/library/FormatMark'
import { projectName } from '../features/library/filters'

/** Long enough for answers to arrive, even on a busy machine: event loop turns count, not time. */
const rest = async () => {
  for (let turn = 0; turn < 15; turn++) await new Promise((done) => setTimeout(done))
}
let total = 250
let asked: string[] = []

beforeEach(() => {
  asked = []
  total = 250
  vi.stubGlobal(
    'fetch',
    vi.fn(async (address: string) => {
      asked.push(address)
      const from = Number(new URL(address, 'http://x').searchParams.get('from'))
      const cards = Array.from(
        { length: Math.min(STRETCH, total - from) },
        (_, at) => ({ cid: String(from + at) }) as Card,
      )
      return new Response(JSON.stringify({ total, cards, formats: [], projects: [] }))
    }),
  )
})
afterEach(() => vi.unstubAllGlobals())

it('asks for what is looked at, once', async () => {
  show({ ...NO_FILTERS, text: 'a' })
  show({ ...NO_FILTERS, text: 'a' })
  await rest()
  need(0, 20)
  need(90, 110)
  need(95, 115)
  await rest()
  expect(asked.length).toBe(2)
  expect(cardAt(knownCards(), 105)?.cid).toBe('105')
  expect(cardAt(knownCards(), 205)).toBeUndefined()
})

it('finds neighbours as far as they are known', async () => {
  show({ ...NO_FILTERS, text: 'b' })
  await rest()
  expect(neighbourOf('5', 1)?.cid).toBe('6')
  expect(neighbourOf('0', -1)).toBeUndefined()
  expect(neighbourOf(null, 1)?.cid).toBe('0')
  expect(indexOf(knownCards(), 'x')).toBe(-1)
})

it('forgets what is not in view when the number of rows changes, and asks again for the rest', async () => {
  show({ ...NO_FILTERS, text: 'c' })
  await rest()
  need(150, 160)
  await rest()
  need(0, 110)
  await rest()
  need(0, 10)
  total = 251
  asked = []
  refresh(0, 10)
  await rest()
  expect(knownCards().total).toBe(251)
  expect(asked.length).toBe(1)
  expect(cardAt(knownCards(), 150)).toBeUndefined()
  need(0, 110)
  await rest()
  total = 252
  refresh(0, 10)
  await rest()
  expect(cardAt(knownCards(), 150)?.cid).toBe('150')
  expect(cardAt(knownCards(), 0)?.cid).toBe('0')
})

it('names formats and projects briefly', () => {
  expect([letters('Claude Code'), letters('Sage'), letters(''), letters('chat-tree v2')]).toEqual([
    'CC',
    'SA',
    '?',
    'CT',
  ])
  expect([projectName('/home/me/web'), projectName('C:\\work\\x\\'), projectName(null), projectName('/')]).toEqual([
    'web',
    'x',
    '',
    '/',
  ])
})
