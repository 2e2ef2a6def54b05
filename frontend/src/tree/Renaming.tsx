// The name of a branch, and changing it in place.

import { useState } from 'react'
import { path, post } from '../api/client'
import { makeStore, useStore } from '../api/store'
import type { Conversation } from '../api/types'
import { reload } from '../shell/current'
import { toast } from '../shell/Toast'

const renaming = makeStore<string | null>(null)

/** The `first` of the segment whose branch is being named. */
export function useRenaming(): string | null {
  return useStore(renaming)
}

export function startRenaming(first: string | null): void {
  renaming.set(first)
}

export function nameOf(conversation: Conversation | null, leaf: string): string | null {
  return conversation?.branches.find((branch) => branch.leaf === leaf)?.name ?? null
}

export function Renaming({ cid, leaf, name }: { cid: string; leaf: string; name: string }) {
  const [typed, setTyped] = useState(name)
  const done = async (keep: boolean) => {
    if (renaming.get() === null) return
    startRenaming(null)
    if (!keep || typed.trim() === name) return
    try {
      await post(path`/c/${cid}/branch-names`, { leaf, name: typed.trim() })
      await reload()
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'error')
    }
  }
  return (
    <input
      className="tree-naming"
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
