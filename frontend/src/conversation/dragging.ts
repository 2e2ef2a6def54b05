// Dragging a message onto another one: it is to hang there.

import { useRef, type DragEvent } from 'react'
import type { Row } from '../api/types'
import { getCurrent } from '../shell/current'
import type { List } from './list'
import { rowAt } from './RowList'

/** The kind of what is dragged: the id of a message of this conversation. */
export const DRAGGED = 'application/x-talktree-message'

/** The id of the message that is dragged, while it is; a drop must not trust what other windows bring. */
let dragged: { cid: string; id: string } | null = null

export function draggedHere(): string | null {
  return dragged && dragged.cid === getCurrent().cid ? dragged.id : null
}

export function useDragging(list: List, onDrop: (about: Row, to: Row) => void) {
  const over = useRef<Element | null>(null)
  const mark = (next: Element | null) => {
    over.current?.classList.remove('conv-drop')
    next?.classList.add('conv-drop')
    over.current = next
  }
  return {
    onDragStart: (event: DragEvent) => {
      const row = rowAt(event.target, list)
      const { cid, conversation } = getCurrent()
      const fromHead = event.target instanceof Element && event.target.matches('[data-drag]')
      if (!fromHead) return
      if (!row || cid === null || !conversation?.can.edit) return event.preventDefault()
      dragged = { cid, id: row.id }
      event.dataTransfer.setData(DRAGGED, row.id)
      event.dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      const row = rowAt(event.target, list)
      const about = draggedHere()
      if (about === null || !row || row.id === about) return mark(null)
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      mark((event.target as Element).closest('.conv-slot'))
    },
    onDragEnd: () => {
      dragged = null
      mark(null)
    },
    onDrop: (event: DragEvent) => {
      const to = rowAt(event.target, list)
      const id = draggedHere()
      const about = id === null ? undefined : list.pages.row(list.pages.find(id))
      mark(null)
      dragged = null
      if (!to || !about || to.id === about.id) return
      event.preventDefault()
      onDrop(about, to)
    },
  }
}
