// A divider for a compaction of the conversation, with its numbers.

import type { Row } from '../../data/api/types'
import { SafeHtml } from '../common/SafeHtml'
import { Icon } from '../../ui/Icon'
import { foldKey } from '../../data/conversation/folds'
import { useFold } from './useFold'
import { exactly } from '../../lib/words'

interface Props {
  row: Row
  selected: boolean
  position: number
  total: number
}

export function DividerRow({ row, selected, position, total }: Props) {
  const block = row.blocks.find((each) => each.kind === 'divider') ?? row.blocks[0]
  const inside = row.blocks.map((each) => each.html).filter(Boolean)
  const [open, toggle] = useFold(foldKey(row.id, 'divider'), false)
  const title = block?.title || 'Compacted'
  return (
    <article
      className={`conv-divider${selected ? ' conv-selected' : ''}`}
      aria-label={title}
      aria-posinset={position}
      aria-setsize={total}
      aria-current={selected || undefined}
      tabIndex={selected ? 0 : -1}
      data-id={row.id}
    >
      <div className="conv-divider-line">
        <button
          type="button"
          className="conv-divider-title"
          disabled={!inside.length}
          aria-expanded={inside.length ? open : undefined}
          onClick={toggle}
        >
          {inside.length > 0 && <Icon name={open ? 'collapse' : 'expand'} size={12} />}
          <span>{title}</span>
          {block?.detail && <span className="conv-faint">{block.detail}</span>}
          {row.time !== null && <span className="conv-faint">{exactly(row.time)}</span>}
        </button>
      </div>
      {open && inside.map((html, at) => <SafeHtml key={at} className="conv-divider-body tt-content" html={html} />)}
    </article>
  )
}
