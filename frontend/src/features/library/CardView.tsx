// A conversation in the list.

import { memo, type MouseEvent } from 'react'
import type { Card, FormatSummary } from '../../data/api/types'
import { Icon } from '../../ui/Icon'
import { hrefOf } from '../../lib/router'
import { age, bytes, count, exact, short, whole } from '../../lib/saying'
import { projectName } from './filters'
import { FormatMark } from './FormatMark'
import { StateDots } from './StateDots'

interface Props {
  card: Card | undefined
  formats: readonly FormatSummary[]
  id: string
  position: number
  total: number
  open: boolean
  pointed: boolean
  onOpen: (cid: string) => void
}

export const CardView = memo(function CardView({ card, formats, id, position, total, open, pointed, onOpen }: Props) {
  const common = {
    id,
    role: 'option',
    'aria-selected': open,
    'aria-posinset': position,
    'aria-setsize': total,
    tabIndex: -1,
  }
  const classes = `card${open ? ' card-open' : ''}${pointed ? ' card-pointed' : ''}`
  if (!card) return <div {...common} className={`${classes} card-blank`} aria-label="Loading" />
  const click = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onOpen(card.cid)
  }
  return (
    <a {...common} className={classes} href={hrefOf({ cid: card.cid })} onClick={click} title={hint(card)}>
      <FormatMark slug={card.format} formats={formats} />
      <span className="card-main">
        <span className="card-head">
          <span className="card-title" dir="auto">
            {card.title || 'Untitled'}
          </span>
          <StateDots card={card} />
        </span>
        <span className="card-facts">
          {card.project && <span className="card-project">{projectName(card.project)}</span>}
          <span className="card-count" aria-label={count(card.messages, 'message')}>
            <Icon name="message" size={12} /> {short(card.messages)}
          </span>
          {card.branches > 1 && (
            <span className="card-count" aria-label={count(card.branches, 'branch', 'branches')}>
              <Icon name="branch" size={12} /> {short(card.branches)}
            </span>
          )}
          {card.sidechains > 0 && (
            <span className="card-count card-sides" aria-label={count(card.sidechains, 'sidechain')}>
              <Icon name="subagent" size={12} /> {short(card.sidechains)}
            </span>
          )}
          {card.errors > 0 && (
            <span className="card-count card-failed" aria-label={count(card.errors, 'failure')}>
              <Icon name="error" size={12} /> {short(card.errors)}
            </span>
          )}
          <time className="card-age">{age(card.last ?? card.first)}</time>
        </span>
      </span>
    </a>
  )
})

/** The size is that of the file: if it contains several conversations, that is shown. */
function sized(card: Card): string {
  const messages = count(card.messages, 'message')
  if (card.several < 2) return `${bytes(card.size)}, ${messages}`
  return `${messages}; one of ${whole(card.several)} conversations in a file of ${bytes(card.size)}`
}

function hint(card: Card): string {
  const lines = [card.title, card.path, sized(card), card.last ? exact(card.last) : '']
  if (card.git_branch) lines.push(`branch ${card.git_branch}`)
  if (card.kept_until) lines.push(`its own program deletes it on ${exact(card.kept_until)}`)
  return lines.filter(Boolean).join('\n')
}
