import { describe, expect, it } from 'vitest'
import type { Segment } from '../../data/api/types'
import { layout, type Layout } from './lanes'

function segment(first: string, parent: string | null, more: Partial<Segment> = {}): Segment {
  return {
    first,
    last: `${first}z`,
    parent,
    at: parent && `${parent}z`,
    kind: parent ? 'fork' : 'line',
    messages: 3,
    leaf: first,
    current: false,
    label: first,
    roles: 'ua',
    start: null,
    end: null,
    compactions: 0,
    ...more,
  }
}

function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function randomTree(seed: number, size: number, depth: number): Segment[] {
  const roll = dice(seed)
  const all: Segment[] = []
  for (let i = 0; i < size; i++) {
    const near = Math.max(0, i - 1 - Math.floor(roll() * depth))
    const parent = i === 0 || roll() < 0.02 ? null : (all[near] as Segment).first
    const kind =
      parent === null
        ? roll() < 0.5 && i
          ? 'problem'
          : 'line'
        : roll() < 0.1
          ? 'sidechain'
          : roll() < 0.05
            ? 'problem'
            : 'fork'
    all.push(segment(`s${i}`, parent, { kind }))
  }
  const byFirst = new Map(all.map((s) => [s.first, s]))
  let at: Segment | undefined = all.findLast((s) => s.kind !== 'problem' && s.kind !== 'sidechain')
  while (at && at.kind !== 'problem') {
    at.current = true
    at = at.parent === null ? undefined : byFirst.get(at.parent)
  }
  return all
}

/** The owner of each column in a row; lines of the same parent are one line. */
function occupied(result: Layout): string[] {
  const cells: string[] = []
  for (const row of result.rows) {
    cells.push(`${row.row}:${row.lane}`)
    for (const passing of row.passing) cells.push(`${row.row}:${passing.lane}`)
  }
  return cells
}

describe('layout', () => {
  const trees = Array.from({ length: 60 }, (_, seed) => randomTree(seed, 1 + seed * 4, 1 + (seed % 9) * 4))

  it('keeps every lane of every row to one line', () => {
    for (const tree of trees) {
      const cells = occupied(layout(tree))
      expect(new Set(cells).size).toBe(cells.length)
    }
  })

  it('shows every segment once, below what it hangs on', () => {
    for (const tree of trees) {
      const { rows, byFirst } = layout(tree)
      expect(rows.map((row) => row.segment.first).toSorted()).toEqual(tree.map((s) => s.first).toSorted())
      for (const row of rows) {
        const parent = row.segment.parent === null ? undefined : byFirst.get(row.segment.parent)
        if (parent && parent.row >= row.row) expect.fail(`${row.segment.first} stands above its parent`)
      }
    }
  })

  it('has the current branch in the first lane', () => {
    for (const tree of trees) {
      const current = layout(tree).rows.filter((row) => row.segment.current && row.stroke === 'current')
      expect(current.every((row) => row.lane === 0)).toBe(true)
    }
  })

  it('joins every segment with its parent by an unbroken line', () => {
    for (const tree of trees) {
      const { rows, byFirst } = layout(tree)
      for (const row of rows) {
        const parent = row.segment.parent === null ? undefined : byFirst.get(row.segment.parent)
        if (!parent) continue
        const joined = (row.above ? row.lane : row.from) === parent.lane && parent.below !== null
        const between = rows.slice(parent.row + 1, row.row)
        if (!joined || !between.every((each) => each.passing.some((line) => line.lane === parent.lane))) {
          expect.fail(`${row.segment.first} is cut off`)
        }
      }
    }
  })

  it('needs few lanes even where forks are nested', () => {
    const nested = Array.from({ length: 4000 }, (_, i) => segment(`n${i}`, i ? `n${Math.floor((i - 1) / 2)}` : null))
    expect(layout(nested).lanes).toBeLessThanOrEqual(14)
    const deep = Array.from({ length: 4000 }, (_, i) => segment(`d${i}`, i ? `d${i - 1}` : null))
    expect(layout(deep).lanes).toBe(1)
  })

  it('puts problems in a lane of their own, at the end', () => {
    const tree = [segment('p', null, { kind: 'problem' }), segment('a', null, { current: true }), segment('b', 'a')]
    const { rows } = layout(tree)
    expect(rows.at(-1)?.segment.first).toBe('p')
    expect(rows.at(-1)?.lane).toBeGreaterThan(Math.max(...rows.slice(0, -1).map((row) => row.lane)))
  })

  it('survives a parent that is missing or comes later, and an id that stands twice', () => {
    const odd = [segment('a', 'b'), segment('b', 'a'), segment('b', null), segment('c', 'gone')]
    expect(layout(odd).rows).toHaveLength(3)
    expect(layout([]).rows).toHaveLength(0)
  })
})
