// The panes beside the conversation: folded or not, their width, and their content.

import { makeStore, useStore } from '../lib/store'
import { closeNamed, isOpen, openOverlay } from './overlay/stack'
import { adjust, currentRoute, useRoute } from '../lib/router'
import { recall, remember } from '../lib/storage'

export type Side = 'left' | 'right'
export type LeftTab = 'library' | 'graph'

export interface Panes {
  left: number
  right: number
  leftFolded: boolean
  rightFolded: boolean
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
  left: BOUNDS.left.usual,
  right: BOUNDS.right.usual,
  leftFolded: false,
  rightFolded: false,
  leftTab: 'library',
  inspectorTab: 'files',
}

const panes = makeStore<Panes>(read(recall(MEMORY)))

/** Returns the valid part of the stored value. */
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

/** Returns a width that leaves room for the content beside it. */
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
  remember(MEMORY, panes.get())
}

export function isNarrow(): boolean {
  return innerWidth < NARROW
}

export function setWidth(side: Side, width: number): void {
  change({ [side]: within(side, width) })
}

/** Folds or unfolds a pane; in a narrow window, opens or closes it as a sheet. */
export function toggle(side: Side): void {
  const now = panes.get()
  if (isNarrow()) {
    if (isOpen(sheetName(side))) closeSheet()
    else openSheet(side)
  } else if (side === 'left') change({ leftFolded: !now.leftFolded })
  else change({ rightFolded: !now.rightFolded })
}

const LABELS: Record<Side, string> = { left: 'Library', right: 'Inspector' }

function sheetName(side: Side): string {
  return `sheet ${side}`
}

function openSheet(side: Side): void {
  if (isOpen(sheetName(side))) return
  closeSheet()
  openOverlay({ name: sheetName(side), shape: 'sheet', title: LABELS[side], side })
}

export function closeSheet(): void {
  closeNamed(sheetName('left'))
  closeNamed(sheetName('right'))
}

/** Shows a tab of the inspector: files, todos, usage, raw, problems, history. */
export function openInspector(tab: string): void {
  setInspectorTab(tab)
  if (!isNarrow()) change({ rightFolded: false })
  if (isNarrow()) openSheet('right')
}

/** Returns the tab in the address, or else the last chosen one. */
export function useInspectorTab(): string {
  const { inspectorTab } = usePanes()
  return useRoute().tab ?? inspectorTab
}

export function setInspectorTab(tab: string): void {
  change({ inspectorTab: tab })
  if (currentRoute().cid !== null) adjust({ tab })
}

/** Shows the library or the graph on the left. */
export function openLeft(tab: LeftTab): void {
  change(isNarrow() ? { leftTab: tab } : { leftTab: tab, leftFolded: false })
  if (isNarrow()) openSheet('left')
}

export function setLeftTab(tab: LeftTab): void {
  change({ leftTab: tab })
}
