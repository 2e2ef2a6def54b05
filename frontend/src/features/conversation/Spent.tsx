// The cost of a message, dimmed: tokens and time.

import type { Row, TokenUsage } from '../../data/api/types'
import { whole } from '../../lib/saying'
import { lasting, many, short } from '../../lib/words'

export function Spent({ row: { tokens, seconds } }: { row: Row }) {
  const read = tokens ? tokens.input + tokens.cache_read + tokens.cache_write : 0
  const wrote = tokens?.output ?? 0
  const took = seconds !== null && seconds >= 0.1 ? lasting(seconds) : ''
  const words = [read > 0 && `${short(read)} in`, wrote > 0 && `${short(wrote)} out`, took].filter(Boolean)
  if (!words.length) return null
  return (
    <span className="conv-spent" title={titleOf(tokens, took)}>
      {words.join(' · ')}
    </span>
  )
}

function titleOf(tokens: TokenUsage | null, took: string): string {
  const parts: string[] = []
  if (tokens) parts.push(`${many(tokens.input, 'token')} read`, `${whole(tokens.output)} written`)
  if (tokens?.cache_read) parts.push(`${whole(tokens.cache_read)} from the cache`)
  if (tokens?.cache_write) parts.push(`${whole(tokens.cache_write)} into the cache`)
  if (took) parts.push(`answered in ${took}`)
  return parts.join(', ')
}
