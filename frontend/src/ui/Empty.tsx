// An empty state: what belongs here and what to do.

import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon'
import './empty.css'

interface Props {
  icon?: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function Empty({ icon = 'info', title, children, action }: Props) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} className="empty-icon" />
      <p className="empty-title">{title}</p>
      {children && <div className="empty-text">{children}</div>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  )
}
