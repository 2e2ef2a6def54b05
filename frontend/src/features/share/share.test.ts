import { describe, expect, it } from 'vitest'
import type { StudioInfo, SecretPlace } from '../../data/api/types'
import { asked, hiddenWords, lookedForWords, targets, type Choice } from './choices'
import { byKind } from './secretKinds'

const CHOICE: Choice = {
  scope: 'branch',
  to: 'html',
  detail: 'low',
  redact: true,
  personal: true,
  words: 'Orchard, quince,Orchard, x',
  images: 'drop',
  theme: 'dark',
  includeDeleted: false,
}

describe('what is asked for', () => {
  it('names just one scope', () => {
    expect(asked(CHOICE, 'leaf', ['a'])).toMatchObject({ leaf: 'leaf', ids: [], everything: false })
    expect(asked({ ...CHOICE, scope: 'selection' }, 'leaf', ['a'])).toMatchObject({
      leaf: null,
      ids: ['a'],
      everything: false,
    })
    expect(asked({ ...CHOICE, scope: 'everything' }, 'leaf', ['a'])).toMatchObject({
      leaf: null,
      ids: [],
      everything: true,
    })
  })

  it('leaves out nothing by detail where a format is written', () => {
    expect(asked({ ...CHOICE, to: 'native' }, null, [])).toMatchObject({ detail: 'full', theme: 'system' })
    expect(asked(CHOICE, null, [])).toMatchObject({ detail: 'low', theme: 'dark' })
  })

  it('leaves out deleted messages unless they are chosen', () => {
    expect(asked(CHOICE, null, []).include_deleted).toBe(false)
    expect(asked({ ...CHOICE, includeDeleted: true }, null, []).include_deleted).toBe(true)
    expect(hiddenWords({})).toBe('')
    expect(hiddenWords({ 'deleted message': 3, 'message not shown to the user': 2, 'hidden artifact': 1 })).toBe(
      '3 deleted messages, 2 messages not shown to the user, 1 hidden artifact',
    )
  })

  it('names words and personal data only where something is replaced', () => {
    expect(asked(CHOICE, null, [])).toMatchObject({ words: ['Orchard', 'quince'], personal: true })
    expect(asked({ ...CHOICE, redact: false }, null, [])).toMatchObject({ words: [], personal: false })
  })

  it('says what was looked for and what was not', () => {
    const looked = { kinds: 170, words: 2, patterns: 0, personal: false }
    expect(lookedForWords(looked)).toBe(
      'Looked for 170 kinds of keys, tokens and passwords, 2 words, not for personal data.',
    )
    expect(lookedForWords({ ...looked, personal: true })).toContain('2 words, personal data.')
  })

  it('offers only formats that can be written', () => {
    const about = {
      formats: [
        { slug: 'a', title: 'A', folder: false, writes: true, aliases: ['c'], origin: '' },
        { slug: 'b', title: 'B', folder: false, writes: false, aliases: ['c'], origin: '' },
      ],
    } as StudioInfo
    expect(targets(about).map((target) => target.value)).toEqual(['html', 'md', 'text', 'a'])
  })
})

it('puts equal secrets together', () => {
  const place = (kind: string, placeholder: string, number: number): SecretPlace => ({
    message: 'm',
    number,
    kind,
    what: kind,
    shown: 'sk…9',
    placeholder,
  })
  const kinds = byKind([place('aws', 'X1', 0), place('gh', 'Y', 1), place('gh', 'Y', 2), place('gh', 'Z', 3)])
  expect(kinds.map((kind) => [kind.kind, kind.count, kind.secrets.map((secret) => secret.places.length)])).toEqual([
    ['gh', 3, [2, 1]],
    ['aws', 1, [1]],
  ])
})
