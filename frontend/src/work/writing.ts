/** What is being written, and where: a reply, another version, or other words in place. */

import { asApiError, get, path } from '../api/client'
import type { Row } from '../api/types'
import { getCurrent } from '../shell/current'
import { toast } from '../shell/Toast'
import type { WritingKind } from './drafts'
import { makeStore, useStore } from '../api/store'

export interface Writing {
  kind: WritingKind
  about: string | null
  /** What the box begins with. */
  text: string
}

const writing = makeStore<Writing | null>(null)

export function useWriting(): Writing | null {
  return useStore(writing)
}

/** Open the box; a long message is fetched whole first, so that nothing is cut by editing it. */
export async function startWriting(kind: WritingKind, row: Row | null): Promise<void> {
  const { cid } = getCurrent()
  if (!cid) return
  if (kind === 'reply' || !row) return writing.set({ kind: 'reply', about: row?.id ?? null, text: '' })
  if (row.blocks.every((block) => block.cut === 0)) return writing.set({ kind, about: row.id, text: row.text })
  try {
    const whole = await get<Row>(path`/c/${cid}/messages/${row.id}`)
    if (getCurrent().cid === cid) writing.set({ kind, about: row.id, text: whole.text })
  } catch (problem) {
    toast(asApiError(problem).message, 'error')
  }
}

/** Close the box; the draft stays. */
export function stopWriting(): void {
  writing.set(null)
}
