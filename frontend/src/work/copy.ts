/** To the clipboard. */

import { get, path } from '../api/client'
import type { Row } from '../api/types'
import { getCurrent } from '../shell/current'
import { linkTo } from '../shell/router'
import { toast } from '../shell/Toast'

/** Copy any text and say so. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(said, 'plain')
  } catch {
    toast('The browser did not allow to copy.', 'warning')
  }
}

/** The words of a message, all of them. */
export async function copyText(row: Row): Promise<void> {
  const { cid } = getCurrent()
  if (!cid) return
  const whole = await get<Row>(path`/c/${cid}/messages/${row.id}`).catch(() => row)
  await copy(whole.text || row.text, 'Text copied')
}

/** The address of a message. */
export async function copyLink(id: string): Promise<void> {
  const { cid, leaf, conversation } = getCurrent()
  if (!cid) return
  await copy(linkTo(cid, id, leaf === conversation?.leaf ? null : leaf), 'Link copied')
}
