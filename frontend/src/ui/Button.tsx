// A button: an icon, text, or both. Without text, the label is read out and shown as a tooltip.

import type { ComponentProps, ReactNode } from 'react'
import { words } from './keys/match'
import { Icon, type IconName } from './Icon'
import './button.css'

interface Props extends Omit<ComponentProps<'button'>, 'children'> {
  label?: string
  icon?: IconName
  kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  small?: boolean
  /** The keys for the same action. */
  shortcut?: string
  /** Whether it is on, for toggle buttons. */
  pressed?: boolean
  children?: ReactNode
}

export function Button({ label, icon, kind = 'plain', small, shortcut, pressed, children, className, ...rest }: Props) {
  const silent = children === undefined || children === null
  const keys = shortcut
    ? words(shortcut)
        .map((stroke) => stroke.join('+'))
        .join(' ')
    : ''
  const hint = [label, keys && `(${keys})`].filter(Boolean).join(' ')
  const classes = ['button', `button-${kind}`, small && 'button-small', silent && 'button-icon', className]
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(' ')}
      aria-label={silent ? label : undefined}
      aria-pressed={pressed}
      title={hint || undefined}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
