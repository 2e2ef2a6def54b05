/**
 * Unsent texts, kept by place until the tab is closed. Browsers write their storage to disk, so with an encrypted
 * library drafts are in memory only.
 */

import type { WritingKind } from '../../data/conversation/OpenConversation'
import { isEncrypted } from '../../data/encrypted'
import { DRAFT } from '../../data/stored'

const inMemory = new Map<string, string>()

const key = (cid: string, kind: WritingKind, about: string | null): string => `${DRAFT}${cid}.${kind}.${about ?? ''}`

/** Returns the draft for this place, or null. */
export function draft(cid: string, kind: WritingKind, about: string | null): string | null {
  if (isEncrypted()) return inMemory.get(key(cid, kind, about)) ?? null
  try {
    return sessionStorage.getItem(key(cid, kind, about))
  } catch {
    return null // storage may be disabled; then drafts live as long as the box
  }
}

/** Stores a draft; an empty one is removed. */
export function keepDraft(cid: string, kind: WritingKind, about: string | null, text: string): void {
  if (isEncrypted()) {
    if (text === '') inMemory.delete(key(cid, kind, about))
    else inMemory.set(key(cid, kind, about), text)
    return
  }
  try {
    if (text === '') sessionStorage.removeItem(key(cid, kind, about))
    else sessionStorage.setItem(key(cid, kind, about), text)
  } catch {
    // as above
  }
}
