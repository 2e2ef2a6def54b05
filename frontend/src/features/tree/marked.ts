// Branches that are selected for comparison.

import { useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'

const NONE: readonly string[] = []

export function useMarked(): readonly string[] {
  return useLocal((local) => local.marked) ?? NONE
}

/** Selects a branch, or deselects it; a third one replaces the oldest. */
export function markBranch(open: OpenConversation, leaf: string): void {
  const { marked } = open.local.getState()
  open.set({ marked: marked.includes(leaf) ? marked.filter((each) => each !== leaf) : [...marked, leaf].slice(-2) })
}

export function unmarkAll(open: OpenConversation): void {
  open.set({ marked: [] })
}
