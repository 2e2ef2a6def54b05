// The stack of overlays, from the lowest to the topmost. Opening one pushes it immediately, before it is rendered: from
// then on the keys of the page are inactive.

import type { ReactNode } from 'react'
import { makeStore, useStore } from '../../lib/store'
import type { IconName } from '../Icon'

/** The anchor of a menu: an element, or a point, for example of a right click. */
export type Anchor = Element | { x: number; y: number } | null

interface Common {
  /** Overlays have unique names: opening one again replaces it. */
  name: string
  /** The conversation it is about; it closes when that is left. */
  conversation?: string | null
  /** Called once, however it is closed. */
  onClose?: () => void
}

export interface DialogOverlay extends Common {
  shape: 'dialog'
  title: ReactNode
  /** The content, which may be lazy: the frame is rendered before it. */
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

/** A text field that was requested and is not there yet: typed text is kept for it. */
export interface FieldOverlay extends Common {
  shape: 'field'
}

export interface MenuItem {
  key: string
  text: string
  icon?: IconName | undefined
  shortcut?: string | undefined
  danger?: boolean | undefined
  /** Shown but disabled while false. */
  enabled?: boolean | undefined
  /** A check mark before it, for choices. */
  checked?: boolean | undefined
  /** A separator is drawn where the group changes. */
  group?: string | undefined
  run: () => void
}

export type Overlay = DialogOverlay | SheetOverlay | MenuOverlay | FieldOverlay

export type OpenOverlay = Overlay & {
  id: number
  /** The element with the focus before it opened. */
  before: Element | null
}

/** The scope of the page itself; every overlay is a scope of its own. */
export const PAGE = 0

const stack = makeStore<readonly OpenOverlay[]>([])
let last = PAGE

export function useOverlays(): readonly OpenOverlay[] {
  return useStore(stack)
}

/** Opens an overlay on top of all others; returns its id. */
export function openOverlay(overlay: Overlay): number {
  // The replaced overlay, and the focused element in it, are about to be removed.
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

/** Returns the active scope for keys. */
export function topScope(): number {
  return topOverlay()?.id ?? PAGE
}
