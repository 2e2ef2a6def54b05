import { describe, expect, it } from 'vitest'
import type { DayUsage, UsageStatistics } from '../../../data/api/types'
import { barsOf, sumOf } from './bars'
import { calendar, endOf, shades, shifted } from './calendar'
import { asCsv, cell } from './tables'

const tokens = { input: 1, output: 2, cache_read: 3, cache_write: 4 }
const day = (name: string, messages = 1): DayUsage => ({ day: name, messages, tokens, cost: null })

describe('calendar', () => {
  it('has every day once and ends on the last', () => {
    const { cells, months } = calendar([day('2026-03-01', 5)], '2026-03-04', 10)
    expect(new Set(cells.map((one) => one.day)).size).toBe(cells.length)
    expect(cells.at(-1)).toMatchObject({ day: '2026-03-04', week: 9, weekday: 2 })
    expect(cells[0]?.weekday).toBe(0)
    expect(cells.find((one) => one.day === '2026-03-01')?.messages).toBe(5)
    expect(months.map((month) => month.name)).toEqual(['Jan', 'Feb', 'Mar'].slice(-months.length))
  })

  it('ends where something was, if that is long ago', () => {
    expect(endOf([day('2020-01-05'), day('2020-01-02')], '2026-01-01')).toBe('2020-01-05')
    expect(endOf([day('2025-12-25')], '2026-01-01')).toBe('2026-01-01')
    expect(endOf([], '2026-01-01')).toBe('2026-01-01')
    expect(endOf([day('unknown')], '2026-01-01')).toBe('2026-01-01')
  })

  it('moves hours to where we are', () => {
    const week = Array.from({ length: 168 }, (_, at) => at)
    expect(shifted(week, 120).slice(0, 4)).toEqual([166, 167, 0, 1])
    expect(shifted(week, -60).slice(-2)).toEqual([167, 0])
    expect(shifted(shifted(week, 330), -330)).toEqual(week)
  })

  it('shades from nothing to most', () => {
    const shade = shades([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect([shade(0), shade(1), shade(10)]).toEqual([0, 1, 4])
    for (let value = 1; value < 10; value++) expect(shade(value)).toBeLessThanOrEqual(shade(value + 1))
  })
})

describe('bars', () => {
  it('lose nothing and stay below the limit', () => {
    const days = Array.from({ length: 400 }, (_, at) =>
      day(new Date(Date.UTC(2025, 0, 1 + at * 2)).toISOString().slice(0, 10)),
    )
    const bars = barsOf(days, 120)
    expect(bars.length).toBeLessThanOrEqual(120)
    expect(bars.reduce((sum, bar) => sum + sumOf(bar.tokens), 0)).toBe(400 * 10)
    expect(barsOf([], 5)).toEqual([])
    expect(barsOf([day('unknown'), day('')], 5)).toEqual([])
    expect(barsOf([day('2026-02-03'), day('unknown')], 5)).toHaveLength(1)
  })
})

describe('tables', () => {
  it('never hold a formula', () => {
    expect([cell('=1+1'), cell('-x'), cell('@a'), cell('a,b'), cell('a"b'), cell(null), cell(-3)]).toEqual([
      "'=1+1",
      "'-x",
      "'@a",
      '"a,b"',
      '"a""b"',
      '',
      '-3',
    ])
  })

  it('have a line for each thing', () => {
    const counted = [{ name: '=cmd()', count: 2, failures: 1, seconds: null, tokens: 0, cost: null }]
    const statistics: UsageStatistics = {
      conversations: 1,
      messages: 1,
      tokens,
      cost: null,
      days: [day('2026-01-01')],
      models: [],
      tools: counted,
      projects: [],
      hours: [],
      words: [
        { name: 'topic', title: 'Topics', values: [{ ...counted[0]!, name: 'Physics', failures: 0 }], distinct: 1 },
      ],
      numbers: [],
    }
    expect(asCsv(statistics).split('\r\n')).toEqual([
      'kind,name,count,failures,input,output,cache_read,cache_write,cost',
      'day,2026-01-01,1,,1,2,3,4,',
      "tool,'=cmd(),2,1,,,,,",
      'topic,Physics,2,0,,,,,',
      '',
    ])
  })
})
