import { describe, expect, it } from 'vitest'
import type { Segment } from '../../data/api/types'
import { forksOf, pathTo } from './path'

function segment(first: string, parent: string | null, kind: Segment['kind'] = 'fork'): Segment {
  return {
    first,
    last: `${first}9`,
    parent,
    at: null,
    kind,
    messages: 1,
    leaf: `${first}9`,
    current: false,
    label: first,
    roles: 'u',
    start: null,
    end: null,
    compactions: 0,
  }
}

describe('pathTo', () => {
  const tree = [
    segment('a', null, 'line'),
    segment('b', 'a'),
    segment('c', 'a'),
    segment('s', 'a', 'sidechain'),
    segment('d', 'c'),
  ]

  it('goes from the beginning to the branch', () => {
    expect(pathTo(tree, 'd9').map((s) => s.first)).toEqual(['a', 'c', 'd'])
    expect(pathTo(tree, 'nowhere')).toEqual([])
    expect(pathTo(tree, null)).toEqual([])
  })

  it('tells the forks, without sub-agents', () => {
    const forks = forksOf(tree, pathTo(tree, 'd9'))
    expect(forks.map((fork) => [fork.taken.first, fork.choices.map((s) => s.first)])).toEqual([['c', ['b', 'c']]])
  })

  it('ends where parents go in a circle', () => {
    expect(pathTo([segment('a', 'b'), segment('b', 'a')], 'a9')).toHaveLength(2)
  })
})
