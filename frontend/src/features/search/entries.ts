// The palette's results for a text, in groups.

import type { Card, SearchHit } from '../../data/api/types'
import { keysOf, perform, type Binding } from '../../ui/keys/registry'
import { go } from '../../lib/router'
import { best } from './rank'
import type { Results } from './useFound'

export type Entry =
  | { kind: 'command'; key: string; binding: Binding; run: () => void }
  | { kind: 'title'; key: string; card: Card; run: () => void }
  | { kind: 'hit'; key: string; hit: SearchHit; run: () => void }

export interface Group {
  title: string
  entries: Entry[]
}

const COMMANDS = 5
const ALL_COMMANDS = 100

export function isCommand(typed: string): boolean {
  return typed.startsWith('>')
}

export function groupsOf(typed: string, bindings: readonly Binding[], results: Results): Group[] {
  if (isCommand(typed)) return some('Commands', commands(typed.slice(1), bindings, ALL_COMMANDS))
  if (typed.trim() === '') return some('Commands', commands('', bindings, ALL_COMMANDS))
  return [
    ...some('Conversations', results.titles.map(titleEntry)),
    ...some('Commands', commands(typed, bindings, COMMANDS)),
    ...some('Said', (results.found?.hits ?? []).map(hitEntry)),
  ]
}

function some(title: string, entries: Entry[]): Group[] {
  return entries.length > 0 ? [{ title, entries }] : []
}

function commands(typed: string, bindings: readonly Binding[], most: number): Entry[] {
  const seen = new Set<string>()
  const offered = bindings.filter((one) => {
    if (!one.text || one.quiet || one.when === false || seen.has(one.text)) return false
    seen.add(one.text)
    return true
  })
  return best(offered, (one) => `${one.text} ${one.group}`, typed, most).map((binding) => ({
    kind: 'command',
    key: `command ${binding.text} ${keysOf(binding).join()}`,
    binding,
    run: () => perform(binding),
  }))
}

function titleEntry(card: Card): Entry {
  return { kind: 'title', key: `title ${card.cid}`, card, run: () => go({ cid: card.cid }) }
}

function hitEntry(hit: SearchHit, at: number): Entry {
  return {
    kind: 'hit',
    key: `hit ${at} ${hit.cid} ${hit.message}`,
    hit,
    run: () => go({ cid: hit.cid, message: hit.message }),
  }
}
