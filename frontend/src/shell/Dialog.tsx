// A dialog over the page: open while it is mounted.

import { useEffect, useId, useRef, type ReactNode, type SyntheticEvent } from 'react'
import { KeyLayer } from '../keys/layer'
import { Button } from './Button'
import './dialog.css'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
  wide?: boolean
  /** The title is read out but not shown, as in the palette. */
  bare?: boolean
  className?: string
}

export function Dialog({ title, onClose, children, footer, wide, bare, className }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const heading = useId()
  useEffect(() => show(dialog.current), [])
  // What has to be scrolled must be reachable without a mouse.
  useEffect(() => {
    const box = body.current
    if (box && !bare && box.scrollHeight > box.clientHeight) box.tabIndex = 0
    else box?.removeAttribute('tabindex')
  })
  const cancel = (event: SyntheticEvent) => {
    event.preventDefault()
    if (event.target === dialog.current) onClose()
  }
  return (
    <dialog
      ref={dialog}
      className={`dialog${wide ? ' dialog-wide' : ''}${bare ? ' dialog-bare' : ''} ${className ?? ''}`}
      aria-labelledby={heading}
      onCancel={cancel}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <KeyLayer onEscape={onClose}>
        <div className="dialog-box">
          <header className={bare ? 'sr-only' : 'dialog-head'}>
            <h2 id={heading}>{title}</h2>
            {!bare && <Button icon="close" label="Close" kind="quiet" onClick={onClose} />}
          </header>
          <div ref={body} className="dialog-body">
            {children}
          </div>
          {footer && <footer className="dialog-foot">{footer}</footer>}
        </div>
      </KeyLayer>
    </dialog>
  )
}

/** Modal, so that the browser keeps the focus inside; gives it back to where it was. */
function show(dialog: HTMLDialogElement | null): () => void {
  const before = document.activeElement
  if (dialog && !dialog.open) {
    if (typeof dialog.showModal === 'function') dialog.showModal()
    else dialog.setAttribute('open', '')
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }
  return () => {
    if (dialog?.open && typeof dialog.close === 'function') dialog.close()
    if (before instanceof HTMLElement && before.isConnected) before.focus()
  }
}
