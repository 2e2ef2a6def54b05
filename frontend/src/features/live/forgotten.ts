// Tells the other windows of this browser about forgotten conversations.

import { refresh } from '../../data/cards'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { markForgotten } from './live'

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('talktree forgotten')

/** Announces in all windows that a conversation was forgotten. */
export function announceForgotten(open: OpenConversation): void {
  markForgotten(open)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  channel?.postMessage(open.cid)
}

/** Keeps the list of this window up to date; returns a function that stops this. */
export function hearOfForgotten(): () => void {
  const take = (): void => refresh()
  channel?.addEventListener('message', take)
  return () => channel?.removeEventListener('message', take)
}
