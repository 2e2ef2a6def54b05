import { expect, it } from 'vitest'
import type { Binding } from '../../ui/keys/registry'
import { groupsOf } from './entries'
import { best, rank } from './rank'

it('ranks beginnings over middles over letters', () => {
  const names = ['Reopen share', 'Share', 'Unshared things', 'Shaper end', 'Quit']
  expect(best(names, (name) => name, 'share', 10)).toEqual(['Share', 'Reopen share', 'Unshared things', 'Shaper end'])
})

it('takes letters only where they stand close together', () => {
  expect(rank('Import known places', 'imkp')).toBeNull()
  expect(rank('Import known places', 'imprt')).not.toBeNull()
  expect(rank('Fold or unfold the inspector', 'theme')).toBeNull()
})

it('needs every word, in any order', () => {
  expect(rank('Import known places', 'places imp')).not.toBeNull()
  expect(rank('Import known places', 'places xyz')).toBeNull()
})

it('gives all in order without words', () => {
  expect(best(['b', 'a', 'c'], (name) => name, ' ', 2)).toEqual(['b', 'a'])
})

const nothing = { text: '', found: null, titles: [], error: null, loading: false }
const binding = (text: string, more: Partial<Binding> = {}): Binding => ({
  text,
  group: 'View',
  run: () => undefined,
  ...more,
})

it('offers each command once, and none that does not count', () => {
  const groups = groupsOf(
    '> ',
    [binding('A'), binding('A'), binding('B', { when: false }), binding('C', { quiet: true }), binding('')],
    nothing,
  )
  expect(groups.flatMap((group) => group.entries.map((entry) => entry.key))).toEqual(['command A '])
})

it('does not mix what was said into commands', () => {
  const hit = {
    cid: '1',
    message: 'm',
    title: 't',
    format: 'f',
    project: null,
    role: 'user',
    kind: 'text',
    time: null,
    state: 'current',
    excerpt: [],
  }
  const results = { ...nothing, text: 'fold', found: { total: 1, exact: true, hits: [hit] } }
  expect(groupsOf('> fold', [binding('Fold')], results).map((group) => group.title)).toEqual(['Commands'])
  expect(groupsOf('fold', [binding('Fold')], results).map((group) => group.title)).toEqual(['Commands', 'Said'])
})
