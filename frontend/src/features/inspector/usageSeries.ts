/** Tokens of a branch as series for a chart. */

import type { TokenUsage, UsagePoint } from '../../data/api/types'
import { cumulative } from './scales'

export type TokenKind = keyof TokenUsage

/** From the base upward. */
export const KINDS: readonly TokenKind[] = ['cache_read', 'cache_write', 'input', 'output']

export const NAMES: Record<TokenKind, string> = {
  input: 'input',
  output: 'output',
  cache_read: 'cache read',
  cache_write: 'cache written',
}

/** Short names, for a line with all of them. */
export const SHORT: Record<TokenKind, string> = {
  input: 'in',
  output: 'out',
  cache_read: 'read',
  cache_write: 'written',
}

/** Returns the values of each kind, one for each point; cumulative if requested. */
export function series(
  points: readonly UsagePoint[],
  kinds: readonly TokenKind[],
  summed: boolean,
): Map<TokenKind, number[]> {
  return new Map(
    kinds.map((kind) => {
      const values = points.map((point) => point.tokens[kind])
      return [kind, summed ? cumulative(values) : values]
    }),
  )
}

/** Returns the lower and upper bounds of each kind when they are stacked. */
export function stacked(all: ReadonlyMap<TokenKind, readonly number[]>): Map<TokenKind, [number, number][]> {
  const base: number[] = []
  const layers = new Map<TokenKind, [number, number][]>()
  for (const [kind, values] of all) {
    layers.set(
      kind,
      values.map((value, number) => {
        const from = base[number] ?? 0
        base[number] = from + value
        return [from, from + value]
      }),
    )
  }
  return layers
}

/** Returns the maximum of all layers. */
export function highest(layers: ReadonlyMap<TokenKind, readonly [number, number][]>): number {
  let most = 0
  for (const values of layers.values()) for (const [, to] of values) most = Math.max(most, to)
  return most
}

/** Returns the kinds with any tokens. */
export function spent(totals: TokenUsage): TokenKind[] {
  return KINDS.filter((kind) => totals[kind] > 0)
}
