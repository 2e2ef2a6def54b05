/** Formatting of amounts. */

/** Created once: creating it is slower than using it. */
const WHOLE = new Intl.NumberFormat('en')
const UNITS = ['', 'k', 'M', 'G']

/** 12345 as 12.3k. */
export function short(count: number): string {
  let value = count
  let unit = 0
  while (Math.abs(value) >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : 1
  return value.toFixed(digits).replace(/\.0$/, '') + UNITS[unit]
}

/** Seconds as 0.4 s, 12 s, 3 min or 2 h. */
export function lasted(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 129600) return `${Number((seconds / 3600).toFixed(1))} h`
  return `${Math.round(seconds / 86400)} days`
}

/** Bytes as 12 B, 3.4 KB, 5 MB. */
export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = size
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${Number(value.toFixed(unit === 0 || value >= 100 ? 0 : 1))} ${units[unit]}`
}

/** An amount of money, with as many digits as it needs to differ from zero. */
export function money(cost: number): string {
  if (cost === 0) return '$0'
  return cost < 0.1 ? `$${cost.toPrecision(2)}` : `$${cost.toFixed(2)}`
}

/** A time in the reader's time zone and locale. */
export function moment(time: number | null): string {
  if (time === null) return ''
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

/** "1 file", "3 files". */
export function many(count: number, one: string, several = `${one}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? one : several}`
}
