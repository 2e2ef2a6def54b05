// A button that opens a menu.

import { useId, useRef, type ReactNode } from 'react'
import { closeNamed, openOverlay, useOverlays, type MenuItem } from './overlay/stack'
import { Button } from './Button'
import type { IconName } from './Icon'

export type { MenuItem }

interface Props {
  label: string
  items: readonly MenuItem[]
  icon?: IconName
  kind?: 'plain' | 'quiet' | 'primary'
  small?: boolean
  shortcut?: string
  children?: ReactNode
}

export function Menu({ label, items, icon = 'more', kind = 'quiet', small, shortcut, children }: Props) {
  const name = `menu ${useId()}`
  const shown = useOverlays().some((one) => one.name === name)
  const button = useRef<HTMLButtonElement>(null)
  const toggle = () => {
    if (shown) closeNamed(name)
    else openOverlay({ name, shape: 'menu', title: label, anchor: button.current, items })
  }
  return (
    <Button
      ref={button}
      icon={icon}
      label={label}
      kind={kind}
      small={small}
      shortcut={shortcut}
      aria-haspopup="menu"
      aria-expanded={shown}
      onClick={toggle}
    >
      {children}
    </Button>
  )
}
