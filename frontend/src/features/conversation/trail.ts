// The way back from a sub-agent's conversation.

import { aim } from '../../data/conversation/aim'
import { useConversation, useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation, TrailStep } from '../../data/conversation/OpenConversation'

/** Returns the sub-agent that is shown, if the reader came through its call. */
export function useTrail(): TrailStep | null {
  const { leaf } = useConversation()
  const last = useLocal((local) => local.trail.at(-1) ?? null)
  return last && last.into === leaf ? last : null
}

/** Opens a sub-agent's branch at its beginning. */
export function enter(
  open: OpenConversation,
  into: string,
  label: string,
  from: string | null,
  messages: number,
): void {
  const { leaf } = open
  if (leaf === null || into === leaf) return
  open.set({ trail: [...open.local.getState().trail.slice(-20), { leaf, id: from, label, into }] })
  open.showLeaf(into, null)
  aim(open, { kind: 'fromEnd', rows: messages })
}

/** Returns why there is no way back. */
export function whyNotLeave(open: OpenConversation): string | null {
  return open.local.getState().trail.length ? null : 'This is not a sub-agent that you opened from its call.'
}

/** Goes back to the call. */
export function leave(open: OpenConversation): void {
  const { trail } = open.local.getState()
  const step = trail.at(-1)
  if (!step) return
  open.set({ trail: trail.slice(0, -1) })
  open.showLeaf(step.leaf, step.id)
}
