// Branches that are chosen to be compared.

import { makeStore, useStore } from '../api/store'

const marked = makeStore<readonly string[]>([])

export function useMarked(): readonly string[] {
  return useStore(marked)
}

/** Chooses a branch, or takes it back; of three the oldest choice goes. */
export function markBranch(leaf: string): void {
  marked.set((now) => (now.includes(leaf) ? now.filter((each) => each !== leaf) : [...now, leaf].slice(-2)))
}

export function unmarkAll(): void {
  marked.set([])
}

const comparing = makeStore<readonly [string, string] | null>(null)

export function useComparing(): readonly [string, string] | null {
  return useStore(comparing)
}

/** Shows two branches beside each other. */
export function compareBranches(a: string, b: string): void {
  comparing.set([a, b])
}

export function stopComparing(): void {
  comparing.set(null)
}
