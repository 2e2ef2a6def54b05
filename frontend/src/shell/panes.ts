// The panes beside the conversation: folded or not, how wide, and what they show.

import { makeStore, useStore } from '../api/store'
import { recall, remember } from './memory'

export type Side = 'left' | 'right'
export type LeftTab = 'library' | 'graph'

export interface Panes {
  left: number
  right: number
  leftFolded: boolean
  rightFolded: boolean
  /** What lies over the conversation where the window is narrow. */
  sheet: Side | null
  leftTab: LeftTab
  inspectorTab: string
}

export const BOUNDS: Record<Side, { least: number; most: number; usual: number }> = {
  left: { least: 200, most: 560, usual: 296 },
  right: { least: 240, most: 900, usual: 400 },
}
/** Below this width panes are sheets. */
export const NARROW = 900

const MEMORY = 'talktree.panes'
const USUAL: Panes = {
  left: BOUNDS.left.usual, right: BOUNDS.right.usual, leftFolded: false, rightFolded: false, sheet: null,
  leftTab: 'library', inspectorTab: 'files',
}

const panes = makeStore<Panes>(read(recall(MEMORY)))

/** What was remembered, as far as it makes sense. */
export function read(kept: unknown): Panes {
  if (typeof kept !== 'object' || kept === null) return USUAL
  const known = kept as Partial<Record<keyof Panes, unknown>>
  return {
    ...USUAL,
    left: within('left', known.left),
    right: within('right', known.right),
    leftFolded: known.leftFolded === true,
    rightFolded: known.rightFolded === true,
    leftTab: known.leftTab === 'graph' ? 'graph' : 'library',
    inspectorTab: typeof known.inspectorTab === 'string' ? known.inspectorTab : USUAL.inspectorTab,
  }
}

/** A width that leaves room for what it stands beside. */
export function within(side: Side, width: unknown): number {
  const { least, most, usual } = BOUNDS[side]
  if (typeof width !== 'number' || !Number.isFinite(width)) return usual
  return Math.round(Math.min(most, Math.max(least, width)))
}

export function usePanes(): Panes {
  return useStore(panes)
}

function change(part: Partial<Panes>): void {
  panes.set((now) => ({ ...now, ...part }))
  remember(MEMORY, { ...panes.get(), sheet: null })
}

export function isNarrow(): boolean {
  return innerWidth < NARROW
}

export function setWidth(side: Side, width: number): void {
  change({ [side]: within(side, width) })
}

/** Folds or unfolds a pane; where the window is narrow it comes or goes as a sheet. */
export function toggle(side: Side): void {
  const now = panes.get()
  if (isNarrow()) change({ sheet: now.sheet === side ? null : side })
  else if (side === 'left') change({ leftFolded: !now.leftFolded })
  else change({ rightFolded: !now.rightFolded })
}

export function closeSheet(): void {
  if (panes.get().sheet) change({ sheet: null })
}

/** Shows what goes with the conversation: files, todos, usage, raw, problems, history. */
export function openInspector(tab: string): void {
  change(isNarrow() ? { inspectorTab: tab, sheet: 'right' } : { inspectorTab: tab, rightFolded: false })
}

export function setInspectorTab(tab: string): void {
  change({ inspectorTab: tab })
}

/** Shows the library or the graph at the left. */
export function openLeft(tab: LeftTab): void {
  change(isNarrow() ? { leftTab: tab, sheet: 'left' } : { leftTab: tab, leftFolded: false })
}

export function setLeftTab(tab: LeftTab): void {
  change({ leftTab: tab })
}
