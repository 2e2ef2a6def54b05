/** Words that are not sent yet, kept by place until the tab is closed. */

import type { WritingKind } from '../../data/conversation/OpenConversation'

const key = (cid: string, kind: WritingKind, about: string | null): string =>
  `talktree.draft.${cid}.${kind}.${about ?? ''}`

/** What was written there before, or nothing. */
export function draft(cid: string, kind: WritingKind, about: string | null): string | null {
  try {
    return sessionStorage.getItem(key(cid, kind, about))
  } catch {
    return null // storage may be switched off; then drafts live as long as the box
  }
}

/** Keep it; empty words are forgotten. */
export function keepDraft(cid: string, kind: WritingKind, about: string | null, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key(cid, kind, about))
    else sessionStorage.setItem(key(cid, kind, about), text)
  } catch {
    // as above
  }
}
