// A pane where there is no room beside the conversation: it lies over it.

import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from './Button'
import type { Side } from './panes'

interface Props {
  side: Side
  label: string
  onClose: () => void
  children: ReactNode
}

export function Sheet({ side, label, onClose, children }: Props) {
  const sheet = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const box = sheet.current
    if (box && !box.open && typeof box.showModal === 'function') box.showModal()
    return () => box?.close?.()
  }, [])
  return (
    <dialog
      ref={sheet}
      className={`layout-sheet layout-sheet-${side}`}
      aria-label={label}
      onCancel={(event) => event.target === sheet.current && (event.preventDefault(), onClose())}
      onMouseDown={(event) => event.target === sheet.current && onClose()}
    >
      <div className="layout-sheet-head">
        <h2 className="sr-only">{label}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </div>
      <div className="layout-sheet-body">{children}</div>
    </dialog>
  )
}
