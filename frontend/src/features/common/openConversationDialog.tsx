// Dialogs about a conversation; one at a time.

import type { ReactNode } from 'react'
import { ConversationScope } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openOverlay } from '../../ui/overlay/stack'

interface Options {
  title: string
  render: (close: () => void) => ReactNode
  wide?: boolean
  className?: string
  /** Called once, however it is closed. */
  onClose?: () => void
}

/** Opens a dialog, replacing another one. */
export function openConversationDialog(open: OpenConversation, options: Options): void {
  const { title, render, wide = false, className = '', onClose } = options
  openOverlay({
    name: 'conversation',
    conversation: open.cid,
    shape: 'dialog',
    title,
    wide,
    className,
    ...(onClose && { onClose }),
    render: (close) => <ConversationScope open={open}>{render(close)}</ConversationScope>,
  })
}
