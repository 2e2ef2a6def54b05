// A block that is one line until it is opened: a call, a result, an unknown part.

import type { ReactNode } from 'react'
import type { MessageBlock } from '../../../data/api/types'
import { Icon, type IconName } from '../../../ui/Icon'
import { SafeHtml } from '../../common/SafeHtml'
import { useFold } from '../useFold'
import { Cut } from './Cut'

interface Props {
  block: MessageBlock
  fold: string
  cid: string
  id: string
  icon?: IconName
  children?: ReactNode
}

const OUTCOMES: Record<string, { icon: IconName; label: string } | undefined> = {
  ok: { icon: 'check', label: 'Succeeded' },
  failed: { icon: 'error', label: 'Failed' },
  waiting: { icon: 'time', label: 'No result yet' },
}

export function Fold({ block, fold, cid, id, icon, children }: Props) {
  const [open, toggle] = useFold(fold, block.open)
  const outcome = OUTCOMES[block.outcome]
  const empty = !block.html && !children
  return (
    <div
      className={`conv-fold conv-fold-${block.kind} conv-outcome-${block.outcome || 'none'}${open && !empty ? ' conv-open' : ''}`}
    >
      <button
        type="button"
        className="conv-fold-line"
        aria-expanded={empty ? undefined : open}
        disabled={empty}
        onClick={toggle}
      >
        <Icon
          name={open && !empty ? 'collapse' : 'expand'}
          size={12}
          className={empty ? 'conv-hidden' : 'conv-fold-arrow'}
        />
        {icon && <Icon name={icon} size={14} className="conv-fold-icon" />}
        {block.name && <span className="conv-fold-name">{block.name}</span>}
        <span className="conv-fold-title">{titleOf(block)}</span>
        {block.detail && <span className="conv-fold-detail">{block.detail}</span>}
        {outcome && <Icon name={outcome.icon} label={outcome.label} size={14} className="conv-outcome" />}
      </button>
      {open && !empty && (
        <div className="conv-fold-body">
          {block.html && <SafeHtml className="tt-content" html={block.html} />}
          <Cut block={block} cid={cid} id={id} />
          {children}
        </div>
      )}
    </div>
  )
}

/** The title without the name before it. */
function titleOf(block: MessageBlock): string {
  const { title, name } = block
  if (!name) return title || block.kind
  if (title === name) return ''
  const rest = title.startsWith(name) ? title.slice(name.length) : title
  return rest.replace(/^[\s:·]+/, '')
}
