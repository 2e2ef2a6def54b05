/** Copying to the clipboard. */

import { ask } from '../../data/api/cache'
import { path } from '../../data/api/client'
import type { Row } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { linkTo } from '../../lib/router'
import { toast } from '../../ui/Toast'

/** Copies any text and reports it. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(said, 'plain')
  } catch {
    toast('The browser did not allow to copy.', 'warning')
  }
}

/** Copies the full text of a message. */
export async function copyText({ cid }: OpenConversation, row: Row): Promise<void> {
  const whole = await ask<Row>(path`/c/${cid}/messages/${row.id}`).catch(() => row)
  await copy(whole.text || row.text, 'Text copied')
}

/** Copies the address of a message. */
export async function copyLink({ cid, leaf, data }: OpenConversation, id: string): Promise<void> {
  await copy(linkTo(cid, id, leaf === data?.leaf ? null : leaf), 'Link copied')
}
