// The name of a branch, editable in place.

import { useState } from 'react'
import { path, post } from '../../data/api/client'
import type { ConversationDetails } from '../../data/api/types'
import { useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { reportProblem } from '../editing/edit'

/** Returns the `first` of the segment whose branch is being named. */
export function useRenaming(): string | null {
  return useLocal((local) => local.renaming)
}

export function startRenaming(open: OpenConversation, first: string | null): void {
  open.set({ renaming: first })
}

export function nameOf(conversation: ConversationDetails | null, leaf: string): string | null {
  return conversation?.branches.find((branch) => branch.leaf === leaf)?.name ?? null
}

export function Renaming({ leaf, name }: { leaf: string; name: string }) {
  const open = useOpen()
  const [typed, setTyped] = useState(name)
  const done = async (keep: boolean) => {
    if (open.local.getState().renaming === null) return
    startRenaming(open, null)
    if (!keep || typed.trim() === name) return
    try {
      await post(path`/c/${open.cid}/branch-names`, { leaf, name: typed.trim() })
      open.refresh()
    } catch (problem) {
      reportProblem(open, problem)
    }
  }
  return (
    <input
      className="tree-naming"
      dir="auto"
      aria-label="Name of this branch"
      placeholder="Name of this branch"
      value={typed}
      autoFocus
      onFocus={(event) => event.target.select()}
      onClick={(event) => event.stopPropagation()}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => void done(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') void done(true)
        else if (event.key === 'Escape') void done(false)
      }}
    />
  )
}
