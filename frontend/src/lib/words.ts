// Times, numbers and roles in words.

const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Infinity, 'year'],
]
/** Created once: creating it is slower than using it. */
const WHOLE = new Intl.NumberFormat('en')
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

/** How long ago, roughly. */
export function ago(time: number, now: number): string {
  let amount = (time - now) / 1000
  if (Math.abs(amount) < 45) return 'just now'
  for (const [size, unit] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit)
    amount /= size
  }
  return ''
}

/** The time to the second. */
export function exactly(time: number): string {
  return exact.format(time)
}

/** Recent times as a duration, others as day and hour. */
export function when(time: number, now: number): string {
  if (Math.abs(now - time) < 86_400_000 * 2) return ago(time, now)
  return `${day.format(time)}, ${clock.format(time)}`
}

/** A large number, short. */
export function short(amount: number): string {
  if (amount < 1000) return String(amount)
  if (amount < 999_500) return `${trimmed(amount / 1000)}k`
  return `${trimmed(amount / 1e6)}M`
}

function trimmed(amount: number): string {
  return amount < 10 ? amount.toFixed(1).replace('.0', '') : String(Math.round(amount))
}

/** A duration, short. */
export function lasting(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** Bytes, short. */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  if (size < 1024 ** 2) return `${trimmed(size / 1024)} KB`
  if (size < 1024 ** 3) return `${trimmed(size / 1024 ** 2)} MB`
  return `${trimmed(size / 1024 ** 3)} GB`
}

/** Singular or plural. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? one : more}`
}

/** The displayed category of a role. */
export type Part = 'user' | 'agent' | 'tool' | 'system' | 'error' | 'other'

const PARTS: Record<string, Part> = {
  user: 'user',
  human: 'user',
  person: 'user',
  assistant: 'agent',
  agent: 'agent',
  model: 'agent',
  ai: 'agent',
  tool: 'tool',
  function: 'tool',
  'tool-result': 'tool',
  tool_result: 'tool',
  system: 'system',
  developer: 'system',
  error: 'error',
}
const WORDS: Record<Part, string> = {
  user: 'User',
  agent: 'Assistant',
  tool: 'Tool',
  system: 'System',
  error: 'Error',
  other: 'Other',
}

/** Returns the category of a role. */
export function partOf(role: string): Part {
  return Object.hasOwn(PARTS, role.toLowerCase()) ? (PARTS[role.toLowerCase()] as Part) : 'other'
}

/** Returns the word for a role. */
export function roleWord(role: string): string {
  const part = partOf(role)
  return part === 'other' && role ? role : WORDS[part]
}

/** Returns the writer of a message, as the server names it: programs write many messages with the role of the user. */
export function speakerOf({ speaker, role }: { speaker: string; role: string }): string {
  return speaker || roleWord(role)
}

const PROGRAMS: Record<string, Part> = { tool: 'tool', command: 'system', summary: 'system', system: 'system' }

/** Returns the category of a message's writer; an agent that calls a sub-agent is an agent, too. */
export function partOfSpeaker({ speaker, role }: { speaker: string; role: string }): Part {
  const part = partOf(role)
  const name = speaker.toLowerCase()
  if (part !== 'user' || name === '' || partOf(name) === 'user') return part
  return Object.hasOwn(PROGRAMS, name) ? (PROGRAMS[name] as Part) : 'agent'
}

/** Whether a speaker's name adds anything to the role. */
export function isName(speaker: string, role: string): boolean {
  const said = speaker.toLowerCase()
  return said !== '' && said !== role.toLowerCase() && said !== roleWord(role).toLowerCase()
}
