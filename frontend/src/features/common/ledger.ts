/** The loss report of a conversion, sorted for display. */

import type { LossSummary, LossLine } from '../../data/api/types'

export interface LossKind {
  kind: string
  total: number
  /** One entry for each outcome, the worst first. */
  fates: LossLine[]
}

const WORST_FIRST = ['lost', 'beside', 'rendered', 'carried']

/** The meaning of each outcome, in a line. */
export const FATES: Record<string, string> = {
  lost: 'not in the new file',
  beside: 'in a file beside it',
  rendered: 'kept as readable text',
  carried: 'kept, and comes back when converted back',
}

const rank = (fate: string): number => {
  const at = WORST_FIRST.indexOf(fate)
  return at < 0 ? WORST_FIRST.length : at
}

/** Whether nothing is lost: converting back restores everything. */
export function lossless(ledger: LossSummary): boolean {
  return ledger.losses.every((line) => line.kept === 'carried' || line.count === 0)
}

/** Groups losses by kind of content, lost ones first. */
export function byKind(losses: readonly LossLine[]): LossKind[] {
  const kinds = new Map<string, LossKind>()
  for (const line of losses) {
    if (line.count === 0) continue
    const kind = kinds.get(line.kind) ?? { kind: line.kind, total: 0, fates: [] }
    kind.total += line.count
    kind.fates.push(line)
    kinds.set(line.kind, kind)
  }
  const all = [...kinds.values()]
  for (const kind of all) kind.fates.sort((a, b) => rank(a.kept) - rank(b.kept))
  const worst = (kind: LossKind): number => rank(kind.fates[0]?.kept ?? '')
  return all.toSorted((a, b) => worst(a) - worst(b) || b.total - a.total || a.kind.localeCompare(b.kind))
}

/** Returns the outcomes that occur, in the order of the columns. */
export function fatesOf(losses: readonly LossLine[]): string[] {
  return [...new Set(losses.map((line) => line.kept))].toSorted((a, b) => rank(a) - rank(b))
}
