// The theme: light, dark, or that of the system.

import { makeStore, useStore } from './store'
import { recall, remember } from './storage'

export type Theme = 'system' | 'light' | 'dark'

/** The icon and the label of each. */
export const THEMES = {
  system: ['system', 'as the system'],
  light: ['light', 'light'],
  dark: ['dark', 'dark'],
} as const

const MEMORY = 'talktree.theme'
const theme = makeStore<Theme>(read(recall(MEMORY)))

export function read(kept: unknown): Theme {
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function useTheme(): Theme {
  return useStore(theme)
}

export function setTheme(next: Theme): void {
  theme.set(next)
  remember(MEMORY, next)
  apply()
}

/** Switches to the next theme, for a button that cycles. */
export function nextTheme(): void {
  const after: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
  setTheme(after[theme.get()])
}

/** Whether the visible theme is dark. */
export function isDark(): boolean {
  const chosen = theme.get()
  return chosen === 'dark' || (chosen === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
}

/** Applies it to the style sheets; without a choice they follow the system. */
export function apply(): void {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}
