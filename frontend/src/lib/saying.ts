// Numbers, sizes and times in words.

const WHOLE = new Intl.NumberFormat('en')
const THIS_YEAR = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })
const MONTH = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric' })
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** 12,345 */
export function whole(number: number): string {
  return WHOLE.format(number)
}

/** 1 message, 2 messages */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${whole(number)} ${number === 1 ? one : many}`
}

/** 950, 12.3k, 4.5M */
export function short(number: number): string {
  const steps: [number, string][] = [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ]
  for (const [size, letter] of steps) {
    if (number >= size) return `${trim(number / size)}${letter}`
  }
  return String(Math.round(number * 10) / 10)
}

/** 1 token, 12.3k tokens */
export function roughly(number: number, one: string, many = `${one}s`): string {
  return `${short(number)} ${number === 1 ? one : many}`
}

/** 512 B, 1.4 MB */
export function bytes(number: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = number
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : trim(value)} ${units[unit]}`
}

function trim(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10)
}

/** now, 5 min, 3 h, 2 d, then the day, and of other years the month */
export function age(time: number | null, now: number = Date.now()): string {
  if (time === null) return ''
  const minutes = Math.floor((now - time) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  if (minutes < 14 * 24 * 60) return `${Math.floor(minutes / (24 * 60))} d`
  return new Date(time).getFullYear() === new Date(now).getFullYear() ? THIS_YEAR.format(time) : MONTH.format(time)
}

export function exact(time: number | null): string {
  return time === null ? '' : EXACT.format(time)
}

/** $0.042, $12.30 */
export function money(amount: number): string {
  return `$${amount < 1 ? amount.toFixed(3) : WHOLE.format(Math.round(amount * 100) / 100)}`
}
