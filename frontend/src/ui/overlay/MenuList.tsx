// The list of a menu, placed at its anchor and operated with the arrow keys.

import { useEffect, useLayoutEffect, useRef, type KeyboardEvent } from 'react'
import { Keys } from '../keys/Keys'
import { Icon } from '../Icon'
import type { Anchor, MenuItem } from './stack'
import '../menu.css'

interface Props {
  label: string
  items: readonly MenuItem[]
  anchor: Anchor
  onClose: () => void
}

export function MenuList({ label, items, anchor, onClose }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = list.current
    if (!box) return
    if (typeof box.showPopover === 'function') box.showPopover()
    place(box, anchor)
    focusOn(box, 0)
    // oxlint-disable-next-line react/exhaustive-deps -- the list is placed once, when it opens
  }, [])
  useEffect(() => {
    const box = list.current
    const away = (event: Event) => {
      if (event.target instanceof Node && !box?.contains(event.target) && !contains(anchor, event.target)) onClose()
    }
    document.addEventListener('pointerdown', away, true)
    addEventListener('resize', onClose)
    return () => {
      document.removeEventListener('pointerdown', away, true)
      removeEventListener('resize', onClose)
    }
  }, [anchor, onClose])
  const choose = (item: MenuItem) => {
    onClose()
    item.run()
  }
  return (
    <div
      ref={list}
      className="menu"
      role="menu"
      aria-label={label}
      popover="manual"
      onKeyDown={(event) => press(event, list.current, onClose)}
    >
      {items.map((item, at) => (
        <div key={item.key} className="menu-slot" role="none">
          {at > 0 && item.group !== items[at - 1]?.group && <hr className="menu-line" />}
          <button
            type="button"
            role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={item.checked}
            className={`menu-item${item.danger ? ' menu-danger' : ''}`}
            disabled={item.enabled === false}
            tabIndex={-1}
            onClick={() => choose(item)}
          >
            {item.checked !== undefined ? (
              <Icon name="check" className={item.checked ? '' : 'menu-blank'} />
            ) : item.icon ? (
              <Icon name={item.icon} />
            ) : (
              <span className="menu-blank icon-gap" />
            )}
            <span className="menu-text">{item.text}</span>
            {item.shortcut && <Keys keys={item.shortcut} />}
          </button>
        </div>
      ))}
    </div>
  )
}

function contains(anchor: Anchor, node: Node): boolean {
  return anchor instanceof Element && anchor.contains(node)
}

function itemsOf(box: HTMLElement): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>('.menu-item:not(:disabled)')]
}

function focusOn(box: HTMLElement, at: number): void {
  const all = itemsOf(box)
  all[(at + all.length) % all.length]?.focus()
}

function press(event: KeyboardEvent, box: HTMLElement | null, onClose: () => void): void {
  if (!box) return
  const all = itemsOf(box)
  const at = all.indexOf(document.activeElement as HTMLElement)
  const step: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }
  const to = step[event.key]
  if (to !== undefined) focusOn(box, to)
  else if (event.key === 'Escape' || event.key === 'Tab') onClose()
  else if (event.key.length === 1 && /\S/.test(event.key) && !event.ctrlKey && !event.metaKey) {
    const rest = [...all.slice(at + 1), ...all.slice(0, at + 1)]
    rest.find((item) => item.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus()
  } else if (event.key !== 'Enter' && event.key !== ' ') return
  event.stopPropagation()
  if (event.key !== 'Enter' && event.key !== ' ') event.preventDefault()
}

const GAP = 4

/** Below its anchor, or above if there is not enough room; always inside the window. */
function place(box: HTMLElement, anchor: Anchor): void {
  if (!anchor) return
  const rect = anchor instanceof Element ? anchor.getBoundingClientRect() : new DOMRect(anchor.x, anchor.y, 0, 0)
  const { width, height } = box.getBoundingClientRect()
  const below = rect.bottom + GAP
  const top = below + height <= innerHeight - GAP ? below : Math.max(GAP, rect.top - GAP - height)
  const left = rect.left + width <= innerWidth - GAP ? rect.left : Math.max(GAP, rect.right - width)
  box.style.top = `${top}px`
  box.style.left = `${left}px`
}
