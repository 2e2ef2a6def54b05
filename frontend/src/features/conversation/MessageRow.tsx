// A message in the list.

import { memo, useRef } from 'react'
import type { Row } from '../../data/api/types'
import Composer from '../editing/Composer'
import { useLocal } from '../../data/conversation/ConversationProvider'
import { Blocks } from './blocks/Blocks'
import { addCopyButtons } from './blocks/copyCode'
import { DividerRow } from './DividerRow'
import { Foot } from './Foot'
import { isQuiet, QuietRow } from './QuietRow'
import { RowHead } from './RowHead'
import { Sides } from './Sides'
import { useWhole } from './whole'
import { partOf, partOfSpeaker, speakerOf } from '../../lib/words'

interface Props {
  row: Row
  cid: string
  selected: boolean
  /** Number of rows; -1 if unknown. */
  total: number
  position: number
  /** Whether the rows above and below have the same speaker: then they are drawn as one. */
  above: boolean
  below: boolean
  /** Names of facts that the rows above show already. */
  known: string
}

export const MessageRow = memo(function MessageRow({
  row: given,
  cid,
  selected,
  total,
  position,
  above,
  below,
  known,
}: Props) {
  const row = useWhole(cid, given)
  const article = useRef<HTMLElement>(null)
  const composing = useLocal((local) => (local.writing?.about === row.id ? local.writing.kind : null))
  const part = partOfSpeaker(row)
  if (isQuiet(row) && !composing) return <QuietRow row={row} selected={selected} position={position} total={total} />
  if (row.kind === 'divider') {
    return (
      <>
        <DividerRow row={row} selected={selected} position={position} total={total} />
        {composing && <Composer />}
      </>
    )
  }
  return (
    <article
      ref={article}
      className={classes(row, part, selected, above, below, known)}
      aria-label={speakerOf(row)}
      aria-posinset={position}
      aria-setsize={total}
      aria-current={selected || undefined}
      tabIndex={selected ? 0 : -1}
      data-id={row.id}
      onPointerEnter={() => addCopyButtons(article.current)}
      onFocus={() => addCopyButtons(article.current)}
    >
      <RowHead row={row} part={part} known={known} />
      {composing && composing !== 'reply' ? <Composer /> : <Blocks row={row} cid={cid} />}
      <Sides row={row} />
      <Foot row={row} />
      {composing === 'reply' && <Composer />}
    </article>
  )
})

function classes(row: Row, part: string, selected: boolean, above: boolean, below: boolean, known: string): string {
  const names = ['conv-row', `conv-${part}`, `conv-kind-${row.kind}`]
  if (selected) names.push('conv-selected')
  if (above) names.push('conv-goes-on')
  if (above && isBare(row, known)) names.push('conv-bare')
  if (below) names.push('conv-goes-below')
  for (const flag of ['deleted', 'aborted', 'sidechain', 'error'])
    if (row.flags.includes(flag)) names.push(`conv-is-${flag}`)
  if (row.edited) names.push('conv-is-edited')
  return names.join(' ')
}

/** Whether its head would only repeat the row above. */
function isBare(row: Row, known: string): boolean {
  const shown = new Set(known.split(' '))
  return (
    !row.siblings &&
    !row.flags.length &&
    !row.inferred &&
    !row.edited &&
    row.chips.every((chip) => chip.name === 'flag' || shown.has(chip.name))
  )
}

/** Whether two rows are drawn as one, because the same speaker continues. */
export function isOne(a: Row | undefined, b: Row | undefined): boolean {
  if (!a || !b || a.kind !== 'message' || b.kind !== 'message') return false
  return a.role === b.role && a.speaker === b.speaker && partOf(a.role) !== 'user'
}
