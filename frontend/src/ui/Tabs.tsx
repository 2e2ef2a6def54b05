// Tabs over one panel.

import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { short, whole } from '../lib/saying'
import { Icon, type IconName } from './Icon'
import './tabs.css'

export interface Tab {
  key: string
  text: string
  icon?: IconName
  /** Replaces the text where there is not enough room. */
  narrowIcon?: IconName
  /** A number beside it, for example of problems. */
  count?: number
}

interface Props {
  label: string
  tabs: readonly Tab[]
  active: string
  onChange: (key: string) => void
  children: ReactNode
  className?: string
}

export function Tabs({ label, tabs, active, onChange, children, className }: Props) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.key === active)
    const step: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }
    const to = step[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = (to + tabs.length) % tabs.length
    onChange((tabs[next] as Tab).key)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className={`tabs ${className ?? ''}`}>
      <div ref={list} className="tabs-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            className={`tabs-tab${tab.narrowIcon ? ' tabs-narrows' : ''}`}
            title={tab.count ? `${tab.text}: ${whole(tab.count)}` : tab.text}
            aria-selected={tab.key === active}
            aria-controls={`${id}-panel`}
            tabIndex={tab.key === active ? 0 : -1}
            onClick={() => onChange(tab.key)}
          >
            {tab.icon && <Icon name={tab.icon} />}
            {tab.narrowIcon && <Icon name={tab.narrowIcon} className="tabs-narrow-icon" />}
            <span className="tabs-text" data-text={tab.text}>
              {tab.text}
            </span>
            {tab.count ? <span className="tabs-count">{short(tab.count)}</span> : null}
          </button>
        ))}
      </div>
      <div className="tabs-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active}`} tabIndex={-1}>
        {children}
      </div>
    </div>
  )
}
