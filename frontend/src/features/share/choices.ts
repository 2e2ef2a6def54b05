/** The choices of the share dialog. */

import type { StudioInfo, RedactionTarget, Share } from '../../data/api/types'
import { many } from '../../lib/amounts'

export type Scope = 'branch' | 'selection' | 'everything'

export interface Choice {
  scope: Scope
  to: string
  detail: Share['detail']
  redact: boolean
  personal: boolean
  /** Words to replace, separated by commas or newlines. */
  words: string
  images: Share['images']
  theme: Share['theme']
  includeDeleted: boolean
}

export const DETAILS: readonly (readonly [Share['detail'], string])[] = [
  ['full', 'All of it: thinking, calls with their results, attachments'],
  ['high', 'Calls with short results; thinking folded away'],
  ['low', 'Words, and one line for each call'],
  ['minimal', 'Words only'],
  ['user-only', 'Only what people said'],
]

export const IMAGES: readonly (readonly [Share['images'], string])[] = [
  ['keep', 'inside the file'],
  ['link', 'as links'],
  ['drop', 'left out'],
]

/** Returns the possible outputs: readable pages first, then the writable formats. */
export function targets(about: StudioInfo | undefined): { value: string; text: string; group: string }[] {
  const pages = [
    { value: 'html', text: 'HTML page', group: 'To read' },
    { value: 'md', text: 'Markdown', group: 'To read' },
    { value: 'text', text: 'Plain text', group: 'To read' },
  ]
  const formats = (about?.formats ?? []).filter((format) => format.writes)
  return [...pages, ...formats.map((format) => ({ value: format.slug, text: format.title, group: 'To go on with' }))]
}

/** Whether it is for reading: only then detail and images can be chosen. */
export function forReading(to: string): boolean {
  return to === 'html' || to === 'md' || to === 'text'
}

/** Returns the typed words without duplicates; a single letter is not a word. */
export function wordsIn(typed: string): string[] {
  const words = typed.split(/[,\n]/).map((word) => word.trim())
  return [...new Set(words.filter((word) => word.length > 1))]
}

/** Describes what is searched for, so that users know what is not. */
export function lookedForWords(looked: RedactionTarget): string {
  const parts = [`${looked.kinds} kinds of keys, tokens and passwords`]
  if (looked.words > 0) parts.push(many(looked.words, 'word'))
  if (looked.patterns > 0) parts.push(many(looked.patterns, 'pattern'))
  parts.push(looked.personal ? 'personal data' : 'not for personal data')
  return `Looked for ${parts.join(', ')}.`
}

/** Returns the request for the server. */
export function asked(choice: Choice, leaf: string | null, ids: readonly string[]): Share {
  const { scope, to, redact } = choice
  const reading = forReading(to)
  return {
    to,
    leaf: scope === 'branch' ? leaf : null,
    ids: scope === 'selection' ? [...ids] : [],
    everything: scope === 'everything',
    detail: reading ? choice.detail : 'full',
    redact,
    words: redact ? wordsIn(choice.words) : [],
    personal: redact && choice.personal,
    images: choice.images,
    theme: to === 'html' ? choice.theme : 'system',
    include_deleted: choice.includeDeleted,
  }
}

/** Describes deleted and hidden items: "3 deleted messages, 1 hidden artifact". */
export function hiddenWords(hidden: Readonly<Record<string, number>>): string {
  const plural = (kind: string): string => kind.replace(/^message\b|(message|artifact)$/, '$&s')
  return Object.entries(hidden)
    .map(([kind, count]) => many(count, kind, plural(kind)))
    .join(', ')
}
