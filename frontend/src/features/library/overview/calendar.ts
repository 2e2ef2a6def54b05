// Days as weeks of a calendar, with shades for their values.

import type { DayUsage } from '../../../data/api/types'

export interface Cell {
  day: string
  /** Column and row: the week, and the day of the week, Monday first. */
  week: number
  weekday: number
  messages: number
}

export interface Calendar {
  cells: Cell[]
  weeks: number
  /** The weeks in which months begin. */
  months: { week: number; name: string }[]
}

const DAY = 86_400_000

/** Drops days without a date. */
export function dated(days: readonly DayUsage[]): DayUsage[] {
  return days.filter((day) => /^\d{4}-\d\d-\d\d$/.test(day.day) && !Number.isNaN(Date.parse(day.day)))
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })

/** Returns the last `weeks` weeks up to `until`, with every day once, including empty ones. */
export function calendar(days: readonly DayUsage[], until: string, weeks: number): Calendar {
  const counts = new Map(days.map((day) => [day.day, day.messages]))
  const last = Date.parse(`${until}T00:00:00Z`)
  const lastWeekday = weekdayOf(last)
  const first = last - (lastWeekday + (weeks - 1) * 7) * DAY
  const cells: Cell[] = []
  const months: Calendar['months'] = []
  for (let time = first; time <= last; time += DAY) {
    const day = new Date(time).toISOString().slice(0, 10)
    const week = Math.floor((time - first) / (7 * DAY))
    cells.push({ day, week, weekday: weekdayOf(time), messages: counts.get(day) ?? 0 })
    const begins = day.endsWith('-01')
    if (begins && week < weeks - 1) months.push({ week, name: MONTH.format(time) })
  }
  return { cells, weeks, months }
}

function weekdayOf(time: number): number {
  return (new Date(time).getUTCDay() + 6) % 7
}

/** Returns the last day of the calendar: today, or the last day with data if that is long ago. */
export function endOf(days: readonly DayUsage[], today: string): string {
  const last = dated(days).reduce((latest, day) => (day.day > latest ? day.day : latest), '')
  if (last === '') return today
  const gap = Date.parse(`${today}T00:00:00Z`) - Date.parse(`${last}T00:00:00Z`)
  return gap > 60 * DAY ? last : today < last ? last : today
}

/** Shifts the hours of a week to local time; the server counts them in UTC. */
export function shifted(hours: readonly number[], minutes: number): number[] {
  const by = Math.sign(minutes) * Math.round(Math.abs(minutes) / 60)
  return hours.map((_, at) => hours[(at - by + hours.length) % hours.length] as number)
}

/** Returns a shade from 0 to 4: the steps are quantiles of the values. */
export function shades(values: readonly number[]): (value: number) => number {
  const some = values.filter((value) => value > 0).toSorted((a, b) => a - b)
  const at = (share: number) => some[Math.min(some.length - 1, Math.floor(some.length * share))] ?? 0
  const bounds = [at(0.25), at(0.5), at(0.8)]
  return (value) => (value <= 0 ? 0 : 1 + bounds.filter((bound) => value > bound).length)
}
