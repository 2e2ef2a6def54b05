// Events of the graph's lines: clicks, keys, the menu, and dropped messages.

import type { DragEvent, KeyboardEvent, MouseEvent } from 'react'
import type { TreeNode, Segment } from '../../data/api/types'
import { draggedHere } from '../editing/dragged'
import { askToMove } from '../editing/MoveDialog'
import { useLocal } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openInspector } from '../../ui/panes'
import { chooseTarget } from '../editing/moveMode'
import type { Lines } from './flat'
import { openGraphMenu } from './GraphMenu'
import { goTo } from './goTo'
import type { Layout } from './lanes'
import { markBranch } from './marked'
import { startRenaming } from './Renaming'

interface Given {
  open: OpenConversation
  placed: Layout
  lines: Lines
  focus: number
  setFocus: (line: number) => void
  toggle: (first: string) => void
  unfolded: ReadonlySet<string>
  node: (row: number, message: number) => TreeNode | undefined
}

export function useGraphEvents({ open, placed, lines, focus, setFocus, toggle, unfolded, node }: Given) {
  const picking = useLocal((local) => local.moveMode !== null) ?? false
  const at = (line: number) => {
    const { row, message } = lines.at(line)
    const segment = placed.rows[row]?.segment
    return segment ? { row, message, segment, id: message < 0 ? segment.first : node(row, message)?.id } : null
  }
  const lineOf = (target: EventTarget) => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-line]') : null
    return element ? Number(element.dataset['line']) : -1
  }
  const go = (line: number) => {
    const here = at(line)
    if (!here?.id) return
    if (picking) chooseTarget(open, here.id)
    else goTo(open, here.segment, here.id)
  }
  const press = (event: KeyboardEvent) => {
    const here = at(focus)
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return
    const run = keyDeed(open, event.key, here.segment, here.message, focus, lines.length, unfolded, {
      go,
      setFocus,
      toggle,
      up: () => setFocus(parentLine(placed, lines, here)),
    })
    if (!run) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  return {
    onClick: (event: MouseEvent) => {
      const line = lineOf(event.target)
      const here = at(line)
      if (!here) return
      setFocus(line)
      const what = (event.target as Element).closest<HTMLElement>('[data-do]')?.dataset['do']
      if (what === 'fold') toggle(here.segment.first)
      else if (what === 'repair') openInspector('problems')
      else if (event.ctrlKey || event.metaKey) markBranch(open, here.segment.leaf)
      else go(line)
    },
    onDoubleClick: (event: MouseEvent) => {
      const here = at(lineOf(event.target))
      if (here && here.message < 0) startRenaming(open, here.segment.first)
    },
    onContextMenu: (event: MouseEvent) => {
      const line = lineOf(event.target)
      const here = at(line)
      if (!here) return
      event.preventDefault()
      setFocus(line)
      openGraphMenu(open, here.segment, { x: event.clientX, y: event.clientY }, toggle)
    },
    onKeyDown: press,
    onDragOver: (event: DragEvent) => {
      if (draggedHere(open) === null || lineOf(event.target) < 0) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
    },
    onDrop: (event: DragEvent) => {
      const about = draggedHere(open)
      const here = at(lineOf(event.target))
      if (about === null || !here) return
      event.preventDefault()
      // On a folded run, the parent is its last message; on a message, that message.
      askToMove(open, about, here.message < 0 ? here.segment.last : (here.id ?? here.segment.last))
    },
  }
}

interface Deeds {
  go: (line: number) => void
  setFocus: (line: number) => void
  toggle: (first: string) => void
  up: () => void
}

function keyDeed(
  open: OpenConversation,
  key: string,
  segment: Segment,
  message: number,
  focus: number,
  count: number,
  unfolded: ReadonlySet<string>,
  deeds: Deeds,
): (() => void) | null {
  const to = (line: number) => () => deeds.setFocus(Math.max(0, Math.min(count - 1, line)))
  const isOpen = unfolded.has(segment.first)
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(focus + 1)
    case 'ArrowUp':
    case 'k':
      return to(focus - 1)
    case 'Home':
      return to(0)
    case 'End':
      return to(count - 1)
    case 'PageDown':
      return to(focus + 15)
    case 'PageUp':
      return to(focus - 15)
    case 'ArrowRight':
    case 'l':
      return message < 0 && !isOpen && segment.messages > 1 ? () => deeds.toggle(segment.first) : to(focus + 1)
    case 'ArrowLeft':
    case 'h':
      return message < 0 && isOpen ? () => deeds.toggle(segment.first) : deeds.up
    case 'Enter':
      return () => deeds.go(focus)
    case ' ':
      return () => markBranch(open, segment.leaf)
    case 'F2':
      return () => startRenaming(open, segment.first)
    case 'm':
    case 'ContextMenu':
      return () => openGraphMenu(open, segment, document.getElementById(`tree-line-${focus}`), deeds.toggle)
    default:
      return null
  }
}

function parentLine(placed: Layout, lines: Lines, here: { row: number; message: number; segment: Segment }): number {
  if (here.message >= 0) return lines.lineOf(here.row)
  const parent = here.segment.parent === null ? undefined : placed.byFirst.get(here.segment.parent)
  return lines.lineOf(parent ? parent.row : here.row)
}
