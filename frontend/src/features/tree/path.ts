// The path from the beginning to a message, by segments.

import type { Segment } from '../../data/api/types'

/** Returns the segments from the first one to the one that ends the branch; empty if the branch is unknown. */
export function pathTo(segments: readonly Segment[], leaf: string | null): Segment[] {
  if (leaf === null) return []
  const byFirst = new Map(segments.map((segment) => [segment.first, segment]))
  const end = segments.find((segment) => segment.last === leaf) ?? segments.findLast((segment) => segment.leaf === leaf)
  const path: Segment[] = []
  const seen = new Set<string>()
  for (let at = end; at && !seen.has(at.first); at = at.parent === null ? undefined : byFirst.get(at.parent)) {
    seen.add(at.first)
    path.push(at)
  }
  return path.toReversed()
}

/** A fork on the path: the chosen segment, and the alternatives. */
export interface Fork {
  taken: Segment
  choices: Segment[]
}

/** Returns the forks on the path to a branch. */
export function forksOf(segments: readonly Segment[], path: readonly Segment[]): Fork[] {
  const children = new Map<string | null, Segment[]>()
  for (const segment of segments) {
    if (segment.kind === 'problem' || segment.kind === 'sidechain') continue
    const beside = children.get(segment.parent)
    if (beside) beside.push(segment)
    else children.set(segment.parent, [segment])
  }
  return path.flatMap((taken) => {
    const choices = children.get(taken.parent) ?? []
    return choices.length > 1 && choices.includes(taken) ? [{ taken, choices }] : []
  })
}
