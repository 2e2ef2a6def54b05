// Aggregates days into a maximum number of bars.

import type { DayUsage, TokenUsage } from '../../../data/api/types'
import { dated } from './calendar'

export interface Bar {
  from: string
  to: string
  tokens: TokenUsage
  cost: number
  messages: number
}

const DAY = 86_400_000

/** Returns bars of one day, or of as many as needed to stay below `most`; empty days count. */
export function barsOf(days: readonly DayUsage[], most: number): Bar[] {
  const sorted = dated(days).toSorted((a, b) => (a.day < b.day ? -1 : 1))
  if (sorted.length === 0) return []
  const start = timeOf((sorted[0] as DayUsage).day)
  const length = (timeOf((sorted.at(-1) as DayUsage).day) - start) / DAY + 1
  const wide = Math.max(1, Math.ceil(length / most))
  const bars: Bar[] = []
  for (let at = 0; at < length; at += wide) {
    bars.push(empty(dayOf(start + at * DAY), dayOf(start + Math.min(length - 1, at + wide - 1) * DAY)))
  }
  for (const day of sorted) {
    const bar = bars[Math.floor((timeOf(day.day) - start) / DAY / wide)] as Bar
    bar.messages += day.messages
    bar.cost += day.cost ?? 0
    for (const kind of KINDS) bar.tokens[kind] += day.tokens[kind]
  }
  return bars
}

export const KINDS = ['input', 'output', 'cache_read', 'cache_write'] as const

function empty(from: string, to: string): Bar {
  return { from, to, tokens: { input: 0, output: 0, cache_read: 0, cache_write: 0 }, cost: 0, messages: 0 }
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

export function sumOf(tokens: TokenUsage): number {
  return tokens.input + tokens.output + tokens.cache_read + tokens.cache_write
}
