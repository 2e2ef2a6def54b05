// Dragging a message onto another one, to make it a child of that.

import { useRef, type DragEvent } from 'react'
import type { Row } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { draggedHere, endDragging, setDragged } from '../editing/dragged'
import type { List } from './list'
import { rowAt } from './RowList'

/** The type of dragged data: the id of a message of this conversation. */
const DRAGGED = 'application/x-talktree-message'

export function useDragging(open: OpenConversation, list: List, onDrop: (about: Row, to: Row) => void) {
  const over = useRef<Element | null>(null)
  const mark = (next: Element | null) => {
    over.current?.classList.remove('conv-drop')
    next?.classList.add('conv-drop')
    over.current = next
  }
  return {
    onDragStart: (event: DragEvent) => {
      const row = rowAt(event.target, list)
      const fromHead = event.target instanceof Element && event.target.matches('[data-drag]')
      if (!fromHead) return
      if (!row || !open.data?.can.edit) return event.preventDefault()
      setDragged(open, row.id)
      event.dataTransfer.setData(DRAGGED, row.id)
      event.dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      const row = rowAt(event.target, list)
      const about = draggedHere(open)
      if (about === null || !row || row.id === about) return mark(null)
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      mark((event.target as Element).closest('.conv-slot'))
    },
    onDragEnd: () => {
      endDragging()
      mark(null)
    },
    onDrop: (event: DragEvent) => {
      const to = rowAt(event.target, list)
      const id = draggedHere(open)
      const about = id === null ? undefined : list.pages.row(list.pages.find(id))
      mark(null)
      endDragging()
      if (!to || !about || to.id === about.id) return
      event.preventDefault()
      onDrop(about, to)
    },
  }
}
