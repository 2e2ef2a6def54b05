// The content of a dialog: a scrollable part, and its buttons below.

import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react'

interface Props {
  children: ReactNode
  footer?: ReactNode
}

export function DialogBody({ children, footer }: Props) {
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // Content that is loaded after its frame: the frame sets the focus when it opens.
    const dialog = body.current?.closest('dialog')
    if (dialog?.open) dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }, [])
  // A scrollable part must be reachable without a mouse.
  useEffect(() => {
    const box = body.current
    if (box && box.scrollHeight > box.clientHeight && !box.closest('.dialog-bare')) box.tabIndex = 0
    else box?.removeAttribute('tabindex')
  })
  return (
    <>
      <div ref={body} className="dialog-body">
        {children}
      </div>
      {footer && <footer className="dialog-foot">{footer}</footer>}
    </>
  )
}
