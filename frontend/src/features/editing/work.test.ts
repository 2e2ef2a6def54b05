import { describe, expect, it } from 'vitest'
import type { AllowedActions, ConversationDetails, HistoryState, LossSummary, Row } from '../../data/api/types'
import { barState } from '../../app/barState'
import { draft, keepDraft } from './drafts'
import { byKind, fatesOf, lossless } from '../common/ledger'
import { actionLines } from '../conversation/messageActions'

const CAN: AllowedActions = {
  edit: true,
  attach: true,
  delete: true,
  roles: ['user', 'assistant'],
  save: true,
  session: true,
  why_not: null,
}
const ROW = { number: 0, id: 'a', parent: null, role: 'user', kind: 'message', flags: [] as string[] } as unknown as Row
const ledger = (...losses: LossSummary['losses']): LossSummary => ({
  to: 'x',
  losses,
  lost: 0,
  carried: 0,
  carried_bytes: 0,
})
const loss = (kind: string, kept: string, count: number) => ({ kind, kept, count, examples: [] })

describe('ledger', () => {
  it('says lossless only where all comes back', () => {
    expect(lossless(ledger())).toBe(true)
    expect(lossless(ledger(loss('tool', 'carried', 3)))).toBe(true)
    expect(lossless(ledger(loss('tool', 'rendered', 1)))).toBe(false)
    expect(lossless(ledger(loss('tool', 'lost', 0)))).toBe(true)
  })

  it('puts what is lost first', () => {
    const losses = [loss('a', 'carried', 9), loss('b', 'lost', 1), loss('a', 'rendered', 2), loss('c', 'new fate', 1)]
    expect(byKind(losses).map((kind) => [kind.kind, kind.total, kind.fates.map((line) => line.kept)])).toEqual([
      ['b', 1, ['lost']],
      ['a', 11, ['rendered', 'carried']],
      ['c', 1, ['new fate']],
    ])
    expect(fatesOf(losses)).toEqual(['lost', 'rendered', 'carried', 'new fate'])
  })
})

describe('actions', () => {
  const on = (row: Row, can: AllowedActions, readOnly = false) =>
    actionLines(row, { can, readOnly })
      .filter((line) => line.enabled)
      .map((line) => line.key)

  it('offers all where all can be done', () => {
    expect(on({ ...ROW, parent: 'p' }, CAN)).toContain('pop-up')
    expect(on(ROW, CAN)).not.toContain('pop-up')
    expect(on(ROW, CAN)).toContain('delete')
    expect(on(ROW, CAN)).not.toContain('restore')
    expect(on({ ...ROW, flags: ['deleted'] }, CAN)).toContain('restore')
  })

  it('changes nothing where nothing may change', () => {
    for (const lines of [on(ROW, { ...CAN, edit: false }, true), on(ROW, CAN, true)]) {
      expect(lines).toEqual(['copy-text', 'copy-link', 'share', 'restore-files'])
    }
  })

  it('leaves out what the format cannot do', () => {
    const keys = actionLines(ROW, {
      can: { ...CAN, attach: false, delete: false, session: false, roles: ['user'] },
      readOnly: false,
    }).map((line) => line.key)
    for (const gone of ['attach', 'delete', 'restore', 'restore-files', 'retype']) expect(keys).not.toContain(gone)
  })
})

it('enables the bar by what can be done', () => {
  const conversation = { can: CAN, edited: true } as ConversationDetails
  const history = {
    stamp: '',
    saved: false,
    can_undo: true,
    can_redo: true,
    edits: [
      { id: 1, time: 0, what: 'replied', state: 'done', about: null },
      { id: 2, time: 0, what: 'moved', state: 'undone', about: null },
    ],
  } as HistoryState
  expect(barState(conversation, history, false)).toMatchObject({
    undo: true,
    redo: true,
    save: true,
    undoText: 'Undo: replied',
    redoText: 'Redo: moved',
  })
  expect(barState(conversation, history, true)).toMatchObject({ undo: false, redo: false, save: false, share: true })
  expect(barState({ ...conversation, edited: false }, undefined, false)).toMatchObject({ undo: false, save: false })
  expect(barState(null, history, false).share).toBe(false)
})

it('keeps drafts by place', () => {
  keepDraft('1', 'reply', 'a', 'words')
  expect([draft('1', 'reply', 'a'), draft('1', 'revise', 'a'), draft('2', 'reply', 'a')]).toEqual(['words', null, null])
  keepDraft('1', 'reply', 'a', '')
  expect(draft('1', 'reply', 'a')).toBeNull()
})
