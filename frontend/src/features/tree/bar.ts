// A run of messages as a bar: its length is logarithmic, its colours show the roles.

/** Consecutive messages of one role. */
export interface Stretch {
  role: string
  /** Deleted or aborted. */
  hollow: boolean
  /** Start and length, relative to 1. */
  from: number
  size: number
}

const ROLES: Record<string, string> = { u: 'user', a: 'agent', t: 'tool', s: 'system', o: 'other' }

/** Groups the letters of a segment by role. */
export function stretches(roles: string): Stretch[] {
  const found: Stretch[] = []
  const unit = 1 / Math.max(1, roles.length)
  ;[...roles].forEach((letter, number) => {
    const role = ROLES[letter.toLowerCase()] ?? 'other'
    const hollow = letter !== letter.toLowerCase()
    const last = found.at(-1)
    if (last && last.role === role && last.hollow === hollow) last.size += unit
    else found.push({ role, hollow, from: number * unit, size: unit })
  })
  return found
}

/** Returns the length of the bar for this many messages, in pixels. */
export function barLength(messages: number, shortest = 8, longest = 96): number {
  const grown = shortest + 12 * Math.log2(Math.max(1, messages))
  return Math.round(Math.min(longest, grown))
}
