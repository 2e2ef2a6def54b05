// What lies over the page, from the lowest to the topmost. Opening pushes at once, before anything is
// drawn: from then on the keys of the page do not count.

import type { ReactNode } from 'react'
import { makeStore, useStore } from '../../lib/store'
import type { IconName } from '../Icon'

/** Where a menu hangs: an element, or a point as of a right click. */
export type Anchor = Element | { x: number; y: number } | null

interface Common {
  /** There is one overlay of a name at a time: opening it again replaces it. */
  name: string
  /** The conversation it is about; it closes when that is left. */
  conversation?: string | null
  /** Called once, however it is closed. */
  onClose?: () => void
}

export interface DialogOverlay extends Common {
  shape: 'dialog'
  title: ReactNode
  /** The content, which may be lazy: the frame is there before it. */
  render: (close: () => void) => ReactNode
  wide?: boolean
  /** The title is read out but not shown, as in the palette. */
  bare?: boolean
  className?: string
}

export interface SheetOverlay extends Common {
  shape: 'sheet'
  title: string
  side: 'left' | 'right'
}

export interface MenuOverlay extends Common {
  shape: 'menu'
  title: string
  anchor: Anchor
  items: readonly MenuItem[]
}

/** A text field that was asked for and is not there yet: what is typed meanwhile goes into it. */
export interface FieldOverlay extends Common {
  shape: 'field'
}

export interface MenuItem {
  key: string
  text: string
  icon?: IconName | undefined
  shortcut?: string | undefined
  danger?: boolean | undefined
  /** Shown but cannot be chosen while false. */
  enabled?: boolean | undefined
  /** A tick before it, for choices. */
  checked?: boolean | undefined
  /** A line is drawn where the group changes. */
  group?: string | undefined
  run: () => void
}

export type Overlay = DialogOverlay | SheetOverlay | MenuOverlay | FieldOverlay

export type OpenOverlay = Overlay & {
  id: number
  /** What had the focus when it was asked for. */
  before: Element | null
}

/** The scope of the page itself; every overlay is a scope of its own. */
export const PAGE = 0

const stack = makeStore<readonly OpenOverlay[]>([])
let last = PAGE

export function useOverlays(): readonly OpenOverlay[] {
  return useStore(stack)
}

/** Opens an overlay on top of all others; gives its id. */
export function openOverlay(overlay: Overlay): number {
  // What it replaces is gone in a moment, and with it what has the focus there.
  const before = stack.get().find((one) => one.name === overlay.name)?.before ?? document.activeElement
  closeNamed(overlay.name)
  const id = ++last
  stack.set((now) => [...now, { ...overlay, id, before }])
  return id
}

/** Closes an overlay and what was opened from it. */
export function closeOverlay(id: number): void {
  const at = stack.get().findIndex((one) => one.id === id)
  if (at >= 0) closeFrom(at)
}

export function closeNamed(name: string): void {
  const found = stack.get().find((one) => one.name === name)
  if (found) closeOverlay(found.id)
}

/** Closes everything that is about a conversation. */
export function closeConversation(conversation: string): void {
  const at = stack.get().findIndex((one) => one.conversation === conversation)
  if (at >= 0) closeFrom(at)
}

function closeFrom(at: number): void {
  const gone = stack.get().slice(at).toReversed()
  stack.set((now) => now.slice(0, at))
  for (const one of gone) one.onClose?.()
}

export function isOpen(name: string): boolean {
  return stack.get().some((one) => one.name === name)
}

export function topOverlay(): OpenOverlay | undefined {
  return stack.get().at(-1)
}

/** The scope whose keys count now. */
export function topScope(): number {
  return topOverlay()?.id ?? PAGE
}
