/** Opens and closes the composer for a reply, another version or a replaced text. */

import { ask } from '../../data/api/cache'
import { asApiError, path } from '../../data/api/client'
import type { Row } from '../../data/api/types'
import type { OpenConversation, WritingKind } from '../../data/conversation/OpenConversation'
import { awaitField, fieldFailed } from '../../ui/overlay/field'
import { toast } from '../../ui/Toast'

/** Opens the box; a long message is loaded in full first, so that editing does not cut it. */
export async function startWriting(open: OpenConversation, kind: WritingKind, row: Row): Promise<void> {
  const begin = (text: string): void => open.set({ writing: { kind, about: row.id, text } })
  const now = open.local.getState().writing
  if (now?.kind === kind && now.about === row.id) return document.querySelector<HTMLElement>('.composer-text')?.focus()
  let wanted = true
  // The row may have to be scrolled into view, or the message to be loaded, before the box is there.
  awaitField(open.cid, () => ((wanted = false), stopWriting(open)))
  if (kind === 'reply') return begin('')
  if (row.blocks.every((block) => block.cut === 0)) return begin(row.text)
  try {
    const whole = await ask<Row>(path`/c/${open.cid}/messages/${row.id}`)
    if (wanted && !open.left) begin(whole.text)
  } catch (problem) {
    if (!wanted || open.left) return
    fieldFailed()
    toast(asApiError(problem).message, 'error', { conversation: open.cid })
  }
}

/** Closes the box; the draft stays. */
export function stopWriting(open: OpenConversation): void {
  open.set({ writing: null })
}
