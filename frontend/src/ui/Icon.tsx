// An icon by name; with a label it is announced to screen readers, without one it is decorative.

import { ICONS, type IconName } from './icons'
import './icon.css'

export type { IconName }

interface Props {
  name: IconName
  label?: string
  size?: number
  className?: string
}

export function Icon({ name, label, size = 16, className }: Props) {
  const heard = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }
  return (
    <svg
      className={`icon ${className ?? ''}`}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      focusable="false"
      {...heard}
    >
      <path d={ICONS[name]} />
    </svg>
  )
}
