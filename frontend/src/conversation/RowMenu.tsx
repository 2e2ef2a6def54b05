// The menu of a message: everything that can be done with it.

import { makeStore, useStore } from '../api/store'
import type { Row } from '../api/types'
import { openInspector } from '../shell/panes'
import type { IconName } from '../shell/Icon'
import { ICONS } from '../shell/icons'
import { MenuList, type MenuItem } from '../shell/Menu'
import { useMessageActions } from '../work/useMessageActions'

type Anchor = Element | { x: number; y: number }

const menu = makeStore<{ row: Row; anchor: Anchor } | null>(null)

export function openRowMenu(row: Row, anchor: Anchor): void {
  menu.set({ row, anchor })
}

export function RowMenu() {
  const open = useStore(menu)
  if (!open) return null
  return <Opened key={open.row.id} row={open.row} anchor={open.anchor} />
}

function Opened({ row, anchor }: { row: Row; anchor: Anchor }) {
  const actions = useMessageActions(row)
  const items: MenuItem[] = actions.map((action) => ({ ...action, icon: known(action.icon) }))
  items.push({ key: 'raw', text: 'Show the record', icon: 'raw', group: 'see', run: () => openInspector('raw') })
  const close = () => {
    menu.set(null)
    if (anchor instanceof HTMLElement && anchor.isConnected) anchor.focus({ preventScroll: true })
  }
  return <MenuList label="Actions of this message" items={items} anchor={() => anchor} onClose={close} />
}

function known(name: string): IconName | undefined {
  return name in ICONS ? (name as IconName) : undefined
}
