// What happens with the rows: clicks, the menu, dragging. One listener for all of them, so that rows stay light.

import { useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import type { Row } from '../api/types'
import { openInspector } from '../shell/panes'
import { pick, usePicking } from '../work/picking'
import { useDragging } from './dragging'
import type { List } from './list'
import type { Navigator } from './navigate'
import { Moving } from './Moving'
import { rowAt } from './RowList'
import { RowMenu, openRowMenu } from './RowMenu'

interface Props {
  list: List
  navigator: Navigator
  children: ReactNode
}

export function RowEvents({ list, navigator, children }: Props) {
  const picking = usePicking()
  const [moving, setMoving] = useState<{ about: Row; to: Row } | null>(null)
  const drag = useDragging(list, (about, to) => setMoving({ about, to }))

  const click = (event: MouseEvent) => {
    const row = rowAt(event.target, list)
    if (!row) return
    if (picking) {
      event.preventDefault()
      return pick(row.id)
    }
    const button = (event.target as Element).closest<HTMLElement>('[data-do]')
    const selecting = (getSelection()?.toString() ?? '') !== ''
    if (!selecting) navigator.point(row)
    if (button) act(button.dataset['do'] ?? '', row, button, navigator)
  }
  const press = (event: KeyboardEvent) => {
    const row = rowAt(event.target, list)
    if (event.key === 'Enter' && row && picking && (event.target as Element).matches('article')) {
      event.preventDefault()
      pick(row.id)
    }
  }
  const menu = (event: MouseEvent) => {
    const row = rowAt(event.target, list)
    // Text that is selected, links and images have the browser's own menu.
    if (!row || getSelection()?.toString() || (event.target as Element).closest('a, img, input, textarea')) return
    event.preventDefault()
    navigator.point(row)
    openRowMenu(row, { x: event.clientX, y: event.clientY })
  }
  return (
    <div className={`conv-events${picking ? ' conv-picking' : ''}`} onClick={click} onKeyDown={press} onContextMenu={menu} {...drag}>
      {children}
      <RowMenu />
      {moving && <Moving about={moving.about} to={moving.to} onClose={() => setMoving(null)} />}
    </div>
  )
}

function act(what: string, row: Row, button: HTMLElement, navigator: Navigator): void {
  if (what === 'menu') openRowMenu(row, button)
  else if (what === 'previous-sibling') navigator.sibling(row, -1)
  else if (what === 'next-sibling') navigator.sibling(row, 1)
  else openInspector(what)
}
