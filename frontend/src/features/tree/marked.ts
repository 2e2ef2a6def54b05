// Branches that are chosen to be compared.

import { useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'

const NONE: readonly string[] = []

export function useMarked(): readonly string[] {
  return useLocal((local) => local.marked) ?? NONE
}

/** Chooses a branch, or takes it back; of three the oldest choice goes. */
export function markBranch(open: OpenConversation, leaf: string): void {
  const { marked } = open.local.getState()
  open.set({ marked: marked.includes(leaf) ? marked.filter((each) => each !== leaf) : [...marked, leaf].slice(-2) })
}

export function unmarkAll(open: OpenConversation): void {
  open.set({ marked: [] })
}
