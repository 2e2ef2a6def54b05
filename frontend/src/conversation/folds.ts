// What the reader unfolded or folded, by row and block; rows come and go while scrolling, this stays.

import { useSyncExternalStore } from 'react'

const MOST = 5000
const folds = new Map<string, boolean>()
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of [...listeners]) listener()
}

export function foldKey(id: string, at: number | string): string {
  return `${id}\u0000${at}`
}

/** Whether it is open: as the reader left it, else as it comes. */
export function useFold(key: string, open: boolean): [boolean, () => void] {
  const now = useSyncExternalStore(subscribe, () => folds.get(key)) ?? open
  return [now, () => setFold(key, !now)]
}

export function setFold(key: string, open: boolean): void {
  folds.set(key, open)
  if (folds.size > MOST) folds.delete(folds.keys().next().value as string)
  tell()
}

/** Folds or unfolds some blocks of a row together: all open unless all are. */
export function toggleAll(keys: readonly { key: string; open: boolean }[]): void {
  const allOpen = keys.every(({ key, open }) => folds.get(key) ?? open)
  for (const { key } of keys) setFold(key, !allOpen)
}

/** Forgets what was unfolded: thinking is switched for all, or another conversation is open. */
export function forgetFolds(matching: (key: string) => boolean = () => true): void {
  for (const key of [...folds.keys()]) if (matching(key)) folds.delete(key)
  tell()
}
