// Short notifications at the edge of the page.

import { useEffect, useRef } from 'react'
import { makeStore, useStore } from '../lib/store'
import { Button } from './Button'
import { Icon } from './Icon'
import './toast.css'

export type ToastKind = 'plain' | 'good' | 'warning' | 'error'

interface ToastAction {
  text: string
  run: () => void
}

interface About {
  /** A button, for example to undo it. */
  action?: ToastAction
  /** The conversation it is about: it is dismissed when that is left. */
  conversation?: string | undefined
}

interface Shown {
  id: number
  text: string
  kind: ToastKind
  action: ToastAction | undefined
  conversation: string | undefined
}

const toasts = makeStore<readonly Shown[]>([])
const LASTS: Record<ToastKind, number> = { plain: 4000, good: 4000, warning: 8000, error: 10_000 }
const AT_ONCE = 4
let last = 0

/** Shows a notification. Only the newest has a button, because undo applies to the last edit. */
export function toast(text: string, kind: ToastKind = 'plain', { action, conversation }: About = {}): void {
  const shown = { id: ++last, text, kind, action, conversation }
  toasts.set((now) => [...now.filter((one) => one.text !== text && !(action && one.action)).slice(1 - AT_ONCE), shown])
  setTimeout(() => dismiss(shown.id), action ? Math.max(8000, LASTS[kind]) : LASTS[kind])
}

/** Dismisses the notifications about a conversation; with `actions`, only those with an undo button. */
export function dismissToasts(conversation: string, only?: 'actions'): void {
  const goes = (one: Shown): boolean =>
    one.conversation === conversation && (only === undefined || one.action !== undefined)
  toasts.set((now) => (now.some(goes) ? now.filter((one) => !goes(one)) : now))
}

function dismiss(id: number): void {
  toasts.set((now) => now.filter((one) => one.id !== id))
}

const ICON = { plain: 'info', good: 'check', warning: 'warning', error: 'error' } as const

export function Toasts() {
  const now = useStore(toasts)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    raise(box.current, now.length > 0)
  }, [now])
  const newest = now.at(-1)
  return (
    <>
      <div className="sr-only" role={newest?.kind === 'error' ? 'alert' : 'status'}>
        {newest?.text}
      </div>
      <div ref={box} className="toasts toasts-list" popover="manual">
        {now.map((one) => (
          <div key={one.id} className={`toast toast-${one.kind}`}>
            <Icon name={ICON[one.kind]} />
            <span className="toast-text">{one.text}</span>
            {one.action && (
              <Button small onClick={() => (dismiss(one.id), one.action?.run())}>
                {one.action.text}
              </Button>
            )}
            <Button small kind="quiet" icon="close" label="Dismiss" onClick={() => dismiss(one.id)} />
          </div>
        ))}
      </div>
    </>
  )
}

/** Raises it above everything, dialogs included: it is shown again, because the last one shown is on top. */
function raise(box: HTMLDivElement | null, visible: boolean): void {
  if (!box || typeof box.showPopover !== 'function') return
  if (box.matches(':popover-open')) box.hidePopover()
  if (visible) box.showPopover()
}
