// A minor event: one thin line.

import { MoreButton } from './MoreButton'
import type { Row } from '../../data/api/types'
import { exactly, speakerOf } from '../../lib/words'

interface Props {
  row: Row
  selected: boolean
  position: number
  total: number
}

/** Whether a note has no content: no text, no problem, no choice. */
export function isQuiet(row: Row): boolean {
  if (
    row.kind !== 'note' ||
    row.siblings ||
    row.sides.length ||
    row.findings.length ||
    row.flags.length ||
    row.inferred ||
    row.edited
  )
    return false
  return row.blocks.every((block) => block.kind === 'chip' && block.name !== 'command' && !block.detail && !block.html)
}

export function QuietRow({ row, selected, position, total }: Props) {
  const titles = row.blocks.map((block) => block.title).join(', ')
  return (
    <article
      className={`conv-row conv-hush${selected ? ' conv-selected' : ''}`}
      aria-label={[speakerOf(row), titles].filter(Boolean).join(', ')}
      aria-posinset={position}
      aria-setsize={total}
      aria-current={selected || undefined}
      tabIndex={selected ? 0 : -1}
      data-id={row.id}
      title={row.time === null ? undefined : exactly(row.time)}
    >
      <span className="conv-hush-title">{titles || speakerOf(row)}</span>
      <MoreButton />
    </article>
  )
}
