import { afterEach, beforeEach, expect, it } from 'vitest'
import { putConversation, queries } from '../api/cache'
import type { ConversationChanged, ConversationDetails, EditResult } from '../api/types'
import { applyChange } from '../../features/live/live'
import { openOverlay, topOverlay } from '../../ui/overlay/stack'
import { currentRoute, go, NO_FILTERS } from '../../lib/router'
import { OpenConversation } from './OpenConversation'

const talk = (part: Partial<ConversationDetails> = {}): ConversationDetails =>
  ({
    cid: '1',
    stamp: 's1',
    leaf: 'end',
    rows: 3,
    messages: 3,
    edited: false,
    live: false,
    ...part,
  }) as ConversationDetails
const edited = (part: Partial<EditResult>): EditResult =>
  ({ stamp: 's2', edit: 1, leaf: 'end', id: 'm', number: 2, what: '', ...part }) as EditResult
let open: OpenConversation

beforeEach(() => {
  go({ cid: '1', filters: NO_FILTERS })
  open = new OpenConversation('1')
  putConversation(talk())
})
afterEach(() => {
  queries.clear()
  go({ filters: NO_FILTERS })
})

it('is where the address says', () => {
  open.select('a')
  expect([location.hash, open.selected, open.leaf]).toEqual(['#/c/1/m/a', 'a', 'end'])
  open.showLeaf('other', 'b')
  expect([location.hash, open.leaf]).toEqual(['#/c/1/m/b?leaf=other', 'other'])
  open.showLeaf('end')
  expect(location.hash).toBe('#/c/1/m/b')
})

it('shows what an edit made, at once', () => {
  open.arrive(edited({ leaf: 'new', id: 'n', number: 7 }))
  expect(location.hash).toBe('#/c/1/m/n?leaf=new')
  expect(open.aim?.at).toEqual({ kind: 'row', index: 7 })
  open.arrive(edited({ leaf: 'new', id: 'o', number: 8 }))
  expect(open.local.getState().arrival).toEqual({ id: 'o', number: 8 })
})

it('changes nothing of the page once it is left', () => {
  openOverlay({ name: 'one', shape: 'dialog', title: 'One', conversation: '1', render: () => null })
  go({ cid: '2' })
  open.leave()
  expect(topOverlay()).toBeUndefined()
  open.arrive(edited({ leaf: 'new' }))
  open.select('x')
  expect([location.hash, currentRoute().cid]).toEqual(['#/c/2', '2'])
})

it('makes a change on the revision that was seen, or on what the changes before it led to', async () => {
  const seen: string[] = []
  const ask = (stamp: string) => async (revision: string) => {
    seen.push(revision)
    return { stamp }
  }
  const first = open.change(ask('s2'))
  const second = open.change(ask('s3'))
  putConversation(talk({ stamp: 'elsewhere' }))
  await Promise.all([first, second])
  expect(seen).toEqual(['s1', 's2'])
  await open.change(ask('s4'))
  expect(seen.at(-1)).toBe('elsewhere')
  await expect(open.change(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(open.isChanging).toBe(false)
})

it('takes over what happened elsewhere', () => {
  const change = (part: Partial<ConversationChanged>): ConversationChanged => ({
    stamp: 's9',
    cause: 'edit',
    edited: true,
    log: 1,
    forked: false,
    leaf: 'end2',
    rows: 4,
    messages: 4,
    size: 9,
    last: 1,
    ...part,
  })
  applyChange(open, change({}))
  expect(open.data).toMatchObject({ stamp: 's9', edited: true, live: false, rows: 4 })
  expect(open.leaf).toBe('end2')
  applyChange(open, change({ stamp: 's9b', leaf: 'fork', forked: true, messages: 6 }))
  expect([open.leaf, currentRoute().leaf]).toEqual(['end2', 'end2'])
  expect(open.local.getState().elsewhere).toEqual({ messages: 2 })
  open.showLeaf('fork')
  open.setFollow(true)
  applyChange(open, change({ stamp: 's9c', leaf: 'fork2', forked: true }))
  expect([open.leaf, currentRoute().leaf]).toEqual(['fork2', null])
  open.showLeaf('old')
  applyChange(open, change({ stamp: 's10', cause: 'file', leaf: 'end3', edited: false }))
  expect(open.data).toMatchObject({ stamp: 's10', edited: false, live: true })
  expect(open.leaf).toBe('old')
})
