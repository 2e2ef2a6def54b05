import { describe, expect, it } from 'vitest'
import { ago, bytes, lasting, many, partOf, partOfSpeaker, roleWord, short, speakerOf } from './words'
import { groupTitle, pieces } from '../features/conversation/grouping'
import type { MessageBlock } from '../data/api/types'

describe('words', () => {
  it('tells times, numbers and roles', () => {
    expect(ago(0, 20_000)).toBe('just now')
    expect(ago(0, 7_200_000)).toMatch(/2 hr\.? ago/)
    expect([short(999), short(1234), short(45_600), short(2_000_000)]).toEqual(['999', '1.2k', '46k', '2M'])
    expect([lasting(3.44), lasting(75), lasting(3600)]).toEqual(['3.4 s', '75 s', '60 min'])
    expect([bytes(10), bytes(2048), bytes(5 * 1024 ** 2)]).toEqual(['10 B', '2 KB', '5 MB'])
    expect([many(1, 'message'), many(2, 'message')]).toEqual(['1 message', '2 messages'])
    expect([partOf('Assistant'), partOf('constructor'), roleWord('judge')]).toEqual(['agent', 'other', 'judge'])
  })
})

describe('speakers', () => {
  it('are not people where a program wrote', () => {
    const said = (role: string, speaker: string) => partOfSpeaker({ role, speaker })
    expect(said('user', 'User')).toBe('user')
    expect(said('user', 'Tool')).toBe('tool')
    expect(said('user', 'Summary')).toBe('system')
    expect(said('user', 'Claude')).toBe('agent')
    expect(said('assistant', 'Sub-agent')).toBe('agent')
    expect(speakerOf({ role: 'user', speaker: '' })).toBe('User')
  })
})

describe('grouping', () => {
  const block = (kind: MessageBlock['kind'], name = '', outcome: MessageBlock['outcome'] = ''): MessageBlock => ({
    kind,
    name,
    outcome,
    html: '',
    title: '',
    detail: '',
    open: false,
    cut: 0,
    number: -1,
    media_type: '',
    size: null,
    remote: '',
    leaf: '',
    runs: false,
  })

  it('puts calls in a row together and keeps the order', () => {
    const found = pieces([block('text'), block('call'), block('call'), block('image'), block('call')])
    expect(found.map((piece) => piece.kind)).toEqual(['block', 'calls', 'block', 'calls'])
    expect(found.map((piece) => piece.at)).toEqual([0, 1, 3, 4])
  })

  it('says how many failed', () => {
    expect(groupTitle([block('call', 'Bash', 'failed'), block('call', 'Read', 'ok')])).toBe(
      '2 tool calls · Bash, Read · 1 failed',
    )
  })
})
