// Renders the overlays. Each one is rendered inside the one below it, because a modal dialog makes everything outside
// of it inert; frames are rendered immediately, their content may load later.

import {
  Suspense,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
} from 'react'
import { Button } from '../Button'
import { ErrorBoundary } from '../ErrorBoundary'
import { MenuList } from './MenuList'
import { Scope } from './scope'
import { closeOverlay, useOverlays, type DialogOverlay, type OpenOverlay, type SheetOverlay } from './stack'
import '../dialog.css'

/** The content of a sheet; the same as that of the pane. */
type Sheets = (side: SheetOverlay['side']) => ReactNode

export function OverlayHost({ sheets }: { sheets: Sheets }) {
  return <Stacked stack={useOverlays()} at={0} sheets={sheets} />
}

interface StackedProps {
  stack: readonly OpenOverlay[]
  at: number
  sheets: Sheets
}

function Stacked({ stack, at, sheets }: StackedProps) {
  const overlay = stack[at]
  if (!overlay) return null
  const above = <Stacked stack={stack} at={at + 1} sheets={sheets} />
  return (
    <Scope.Provider key={overlay.id} value={overlay.id}>
      <Framed overlay={overlay} sheets={sheets} above={above} />
    </Scope.Provider>
  )
}

interface FramedProps<T> {
  overlay: T
  above: ReactNode
}

function Framed({ overlay, above, sheets }: FramedProps<OpenOverlay> & { sheets: Sheets }) {
  const { id } = overlay
  const close = useCallback(() => closeOverlay(id), [id])
  switch (overlay.shape) {
    case 'dialog':
      return <DialogFrame overlay={overlay} above={above} close={close} />
    case 'sheet':
      return (
        <SheetFrame overlay={overlay} above={above} close={close}>
          {sheets(overlay.side)}
        </SheetFrame>
      )
    case 'menu':
      return (
        <>
          <MenuFrame overlay={overlay} close={close} />
          {above}
        </>
      )
    case 'field':
      return (
        <>
          <FieldFrame close={close} />
          {above}
        </>
      )
  }
}

type Opened<T> = T & Pick<OpenOverlay, 'id' | 'before'>

function DialogFrame({ overlay, above, close }: FramedProps<Opened<DialogOverlay>> & { close: () => void }) {
  const { title, wide, bare, className } = overlay
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useModal(dialog, overlay.before)
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      className={`dialog${wide ? ' dialog-wide' : ''}${bare ? ' dialog-bare' : ''} ${className ?? ''}`}
      aria-labelledby={heading}
      {...closing(dialog, close)}
    >
      <div className="dialog-box">
        <header className={bare ? 'sr-only' : 'dialog-head'}>
          <h2 id={heading}>{title}</h2>
          {!bare && <Button icon="close" label="Close" kind="quiet" onClick={close} />}
        </header>
        <ErrorBoundary what="This dialog">
          <Suspense fallback={<div className="dialog-body" aria-busy="true" />}>{overlay.render(close)}</Suspense>
        </ErrorBoundary>
      </div>
      {above}
    </dialog>
  )
}

function SheetFrame({
  overlay,
  above,
  close,
  children,
}: FramedProps<Opened<SheetOverlay>> & { close: () => void; children: ReactNode }) {
  const sheet = useRef<HTMLDialogElement>(null)
  useModal(sheet, overlay.before)
  return (
    <dialog
      ref={sheet}
      tabIndex={-1}
      className={`layout-sheet layout-sheet-${overlay.side}`}
      aria-label={overlay.title}
      {...closing(sheet, close)}
    >
      <div className="layout-sheet-head">
        <h2 className="sr-only">{overlay.title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={close} />
      </div>
      <div className="layout-sheet-body">{children}</div>
      {above}
    </dialog>
  )
}

function MenuFrame({ overlay, close }: { overlay: Extract<OpenOverlay, { shape: 'menu' }>; close: () => void }) {
  const { title, items, anchor, before } = overlay
  const back = useCallback(() => {
    close()
    const to = anchor instanceof HTMLElement && anchor.isConnected ? anchor : before
    if (to instanceof HTMLElement && to.isConnected) to.focus({ preventScroll: true })
  }, [close, anchor, before])
  return <MenuList label={title} items={items} anchor={anchor} onClose={back} />
}

/** A pending field renders nothing; a click anywhere cancels it. */
function FieldFrame({ close }: { close: () => void }): null {
  useEffect(() => {
    document.addEventListener('pointerdown', close, true)
    return () => document.removeEventListener('pointerdown', close, true)
  }, [close])
  return null
}

/** Escape, Android's back button, and a click outside close it, unless another overlay is on top. */
function closing(dialog: RefObject<HTMLDialogElement | null>, close: () => void) {
  return {
    onCancel: (event: SyntheticEvent) => {
      event.preventDefault()
      if (event.target === dialog.current) close()
    },
    onMouseDown: (event: SyntheticEvent) => {
      if (event.target === dialog.current) close()
    },
  }
}

/** Modal while it is mounted, so that the browser keeps the focus inside; restores the focus afterwards. */
function useModal(ref: RefObject<HTMLDialogElement | null>, before: Element | null): void {
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) {
      if (typeof dialog.showModal === 'function') dialog.showModal()
      else dialog.setAttribute('open', '')
      // Not its first button, the browser's default: typed keys could press it.
      const first = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog
      first.focus()
    }
    return () => {
      if (dialog?.open && typeof dialog.close === 'function') dialog.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
    // oxlint-disable-next-line react/exhaustive-deps -- what had the focus is known from the beginning
  }, [])
}
