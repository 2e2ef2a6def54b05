// Events of the rows: clicks, the menu, dragging. One listener handles all of them, so that rows stay light.

import { type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import type { Row } from '../../data/api/types'
import { openInspector } from '../../ui/panes'
import { useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import { chooseTarget } from '../editing/moveMode'
import { useDragging } from './dragging'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import type { List } from './list'
import type { Navigator } from './navigate'
import { askToMove } from '../editing/MoveDialog'
import { rowAt } from './RowList'
import { openRowMenu } from './RowMenu'

interface Props {
  list: List
  navigator: Navigator
  children: ReactNode
}

export function RowEvents({ list, navigator, children }: Props) {
  const open = useOpen()
  const picking = useLocal((local) => local.moveMode !== null)
  const drag = useDragging(open, list, (about, to) => askToMove(open, about.id, to.id, [about, to]))

  /** Before buttons of the row act: they may show another branch. */
  const point = (event: MouseEvent) => {
    const row = rowAt(event.target, list)
    const selecting = (getSelection()?.toString() ?? '') !== ''
    if (row && !picking && !selecting) navigator.point(row)
  }
  const click = (event: MouseEvent) => {
    const row = rowAt(event.target, list)
    if (!row) return
    if (picking) {
      event.preventDefault()
      return chooseTarget(open, row.id)
    }
    const button = (event.target as Element).closest<HTMLElement>('[data-do]')
    if (button) act(open, button.dataset['do'] ?? '', row, button, navigator)
  }
  const press = (event: KeyboardEvent) => {
    const row = rowAt(event.target, list)
    if (event.key === 'Enter' && row && picking && (event.target as Element).matches('article')) {
      event.preventDefault()
      chooseTarget(open, row.id)
    }
  }
  const menu = (event: MouseEvent) => {
    const row = rowAt(event.target, list)
    // Selected text, links and images have the browser's own menu.
    if (!row || getSelection()?.toString() || (event.target as Element).closest('a, img, input, textarea')) return
    event.preventDefault()
    navigator.point(row)
    openRowMenu(open, row, { x: event.clientX, y: event.clientY })
  }
  return (
    <div
      className={`conv-events${picking ? ' conv-picking' : ''}`}
      onClickCapture={point}
      onClick={click}
      onKeyDown={press}
      onContextMenu={menu}
      {...drag}
    >
      {children}
    </div>
  )
}

function act(open: OpenConversation, what: string, row: Row, button: HTMLElement, navigator: Navigator): void {
  if (what === 'menu') openRowMenu(open, row, button)
  else if (what === 'previous-sibling') navigator.sibling(row, -1)
  else if (what === 'next-sibling') navigator.sibling(row, 1)
  else openInspector(what)
}
