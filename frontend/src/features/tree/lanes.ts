// The layout of the tree: one row for each segment, in columns like `git log --graph`.
//
// Consecutive segments form a chain; a chain has one column. At a fork, the side branches come first and the chain
// continues below them, so that lines never cross. The chain continues into the current branch, else into the largest
// child, so the number of columns is at most logarithmic in the number of segments.

import { stratify, type HierarchyNode } from 'd3-hierarchy'
import type { Segment } from '../../data/api/types'

/** The style of a line. */
export type Stroke = 'current' | 'line' | 'sidechain' | 'problem'

/** A line that passes a row from top to bottom. */
export interface Passing {
  lane: number
  stroke: Stroke
}

/** A segment with its place. */
export interface Placed {
  segment: Segment
  row: number
  lane: number
  stroke: Stroke
  /** The column of its parent, if that is another one. */
  from: number | null
  /** Whether its own line comes from above. */
  above: boolean
  /** Whether its own line continues below, and its style there. */
  below: Stroke | null
  passing: Passing[]
  /** The nesting level, from 1. */
  level: number
  /** Its index among its siblings, from 1, and their number. */
  position: number
  siblings: number
}

/** The tree, laid out. */
export interface Layout {
  rows: Placed[]
  lanes: number
  byFirst: Map<string, Placed>
}

interface Datum {
  id: string
  parent: string | null
  segment: Segment | null
}

type Tree = HierarchyNode<Datum>

const ROOT = '\u0000root'

/** Returns rows and columns for all segments. */
export function layout(segments: readonly Segment[]): Layout {
  const tree = grown(segments)
  const weights = weighed(tree)
  const mainOf = new Map<Tree, Tree>()
  tree.each((node) => {
    const main = mainChild(node, weights)
    if (main) mainOf.set(node, main)
  })
  const order = ordered(tree, mainOf)
  const rows = order.map((node, row) => placed(node, row, tree))
  assignLanes(order, rows, mainOf, tree)
  draw(order, rows, mainOf, tree)
  const byFirst = new Map(rows.map((row) => [row.segment.first, row]))
  return { rows, lanes: rows.reduce((most, row) => Math.max(most, row.lane + 1), 0), byFirst }
}

function grown(segments: readonly Segment[]): Tree {
  const known = new Set<string>()
  const data: Datum[] = [{ id: ROOT, parent: null, segment: null }]
  for (const segment of segments) {
    if (known.has(segment.first)) continue
    // Segments are in the order in which they begin: an unknown parent would form a cycle.
    const parent = segment.parent !== null && known.has(segment.parent) ? segment.parent : ROOT
    known.add(segment.first)
    data.push({ id: segment.first, parent, segment })
  }
  return stratify<Datum>()
    .id((datum) => datum.id)
    .parentId((datum) => datum.parent)(data)
}

function weighed(tree: Tree): Map<Tree, number> {
  const weights = new Map<Tree, number>()
  tree.eachAfter((node) => {
    let weight = 1
    for (const child of node.children ?? []) weight += weights.get(child) ?? 0
    weights.set(node, weight)
  })
  return weights
}

function mainChild(node: Tree, weights: Map<Tree, number>): Tree | undefined {
  let best: Tree | undefined
  let bestRank = -1
  for (const child of node.children ?? []) {
    const rank = rankOf(child, weights)
    if (rank > bestRank) [best, bestRank] = [child, rank]
  }
  return best
}

function rankOf(node: Tree, weights: Map<Tree, number>): number {
  const segment = node.data.segment
  if (!segment || segment.kind === 'problem') return -1
  if (segment.current) return Number.MAX_SAFE_INTEGER
  if (segment.kind === 'sidechain' && node.parent?.data.segment?.kind !== 'sidechain') return -1
  return weights.get(node) ?? 0
}

/** Depth first, side branches before the main line, problems last; without recursion. */
function ordered(tree: Tree, mainOf: Map<Tree, Tree>): Tree[] {
  const order: Tree[] = []
  const stack: Tree[] = [tree]
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node !== tree) order.push(node)
    const main = mainOf.get(node)
    const sides = (node.children ?? []).filter((child) => child !== main).toReversed()
    if (node === tree) {
      // Other roots come after the current one, and segments without a known parent at the end.
      stack.push(...sides.filter(isProblem), ...sides.filter((child) => !isProblem(child)))
      if (main) stack.push(main)
    } else {
      if (main) stack.push(main)
      stack.push(...sides)
    }
  }
  return order
}

function isProblem(node: Tree): boolean {
  return node.data.segment?.kind === 'problem'
}

function placed(node: Tree, row: number, tree: Tree): Placed {
  const segment = node.data.segment as Segment
  const family = node.parent?.children ?? [node]
  return {
    segment,
    row,
    lane: 0,
    stroke: 'line',
    from: null,
    above: false,
    below: null,
    passing: [],
    level: node.parent === tree ? 1 : node.depth,
    position: family.indexOf(node) + 1,
    siblings: family.length,
  }
}

function assignLanes(order: Tree[], rows: Placed[], mainOf: Map<Tree, Tree>, tree: Tree): void {
  const rowOf = new Map(order.map((node, row) => [node, row]))
  const problems: number[] = []
  order.forEach((node, row) => {
    const here = rows[row] as Placed
    const parent = node.parent as Tree
    const above = parent === tree ? undefined : rows[rowOf.get(parent) as number]
    if (above && mainOf.get(parent) === node) here.lane = above.lane
    else if (above) here.lane = above.lane + 1
    else here.lane = 0
    here.stroke = strokeOf(here.segment, above)
    if (here.stroke === 'problem') problems.push(row)
  })
  // Problems have a column of their own, to the right of all others, with their children further right.
  const width = rows.reduce((most, row) => (row.stroke === 'problem' ? most : Math.max(most, row.lane + 1)), 0)
  for (const row of problems) (rows[row] as Placed).lane += width
}

function strokeOf(segment: Segment, above: Placed | undefined): Stroke {
  if (segment.kind === 'problem' || above?.stroke === 'problem') return 'problem'
  if (segment.current) return 'current'
  return segment.kind === 'sidechain' || above?.stroke === 'sidechain' ? 'sidechain' : 'line'
}

/** Draws the lines: each parent's line runs down to its last child. */
function draw(order: Tree[], rows: Placed[], mainOf: Map<Tree, Tree>, tree: Tree): void {
  const rowOf = new Map(order.map((node, row) => [node, row]))
  order.forEach((node, row) => {
    const here = rows[row] as Placed
    const parent = node.parent as Tree
    if (parent !== tree) {
      const above = rows[rowOf.get(parent) as number] as Placed
      here.above = mainOf.get(parent) === node
      here.from = here.above ? null : above.lane
    }
    const below = (node.children ?? []).map((child) => rowOf.get(child) as number)
    if (!below.length) return
    const last = Math.max(...below)
    const main = mainOf.get(node)
    const goesOn = main ? (rows[rowOf.get(main) as number] as Placed).stroke : here.stroke
    here.below = goesOn
    for (let between = row + 1; between < last; between++) {
      ;(rows[between] as Placed).passing.push({ lane: here.lane, stroke: goesOn })
    }
    // The last one turns off, or is the main line itself: then the row draws its own upper half.
  })
}
