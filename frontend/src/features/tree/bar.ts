// A run of messages as a bar: longer with the logarithm of the messages, coloured by who speaks.

/** Some messages of one role in a row. */
export interface Stretch {
  role: string
  /** Deleted or aborted. */
  hollow: boolean
  /** Where it begins and how long it is, of 1. */
  from: number
  size: number
}

const ROLES: Record<string, string> = { u: 'user', a: 'agent', t: 'tool', s: 'system', o: 'other' }

/** The letters of a segment as stretches of the same role. */
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

/** How long the bar of so many messages is, in pixels. */
export function barLength(messages: number, shortest = 8, longest = 96): number {
  const grown = shortest + 12 * Math.log2(Math.max(1, messages))
  return Math.round(Math.min(longest, grown))
}
