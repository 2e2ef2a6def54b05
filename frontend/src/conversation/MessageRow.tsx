// A message in the list.

import { memo, useRef } from 'react'
import type { Row } from '../api/types'
import Composer from '../work/Composer'
import { useWriting } from '../work/writing'
import { Blocks } from './blocks/Blocks'
import { addCopyButtons } from './blocks/copyCode'
import { DividerRow } from './DividerRow'
import { Foot } from './Foot'
import { RowHead } from './RowHead'
import { Sides } from './Sides'
import { useWhole } from './whole'
import { partOf, roleWord } from './words'

interface Props {
  row: Row
  cid: string
  selected: boolean
  /** How many rows there are; -1 if that is not known. */
  total: number
  position: number
  /** The role of the row above, as neighbours of one role are drawn together. */
  before: string | undefined
}

export const MessageRow = memo(function MessageRow({ row: given, cid, selected, total, position, before }: Props) {
  const row = useWhole(cid, given)
  const article = useRef<HTMLElement>(null)
  const writing = useWriting()
  const composing = writing?.about === row.id ? writing.kind : null
  const part = partOf(row.role)
  if (row.kind === 'divider') return <DividerRow row={row} selected={selected} position={position} total={total} />
  return (
    <article
      ref={article}
      className={classes(row, part, selected, before)}
      aria-label={`${roleWord(row.role)}${row.speaker ? `, ${row.speaker}` : ''}`}
      aria-posinset={position}
      aria-setsize={total}
      aria-current={selected || undefined}
      tabIndex={selected ? 0 : -1}
      data-id={row.id}
      onPointerEnter={() => addCopyButtons(article.current)}
      onFocus={() => addCopyButtons(article.current)}
    >
      <RowHead row={row} part={part} />
      {composing && composing !== 'reply' ? <Composer /> : <Blocks row={row} cid={cid} />}
      <Sides row={row} />
      <Foot row={row} />
      {composing === 'reply' && <Composer />}
    </article>
  )
})

function classes(row: Row, part: string, selected: boolean, before: string | undefined): string {
  const names = ['conv-row', `conv-${part}`, `conv-kind-${row.kind}`]
  if (selected) names.push('conv-selected')
  if (before === row.role && row.role !== 'user') names.push('conv-goes-on')
  for (const flag of ['deleted', 'aborted', 'sidechain', 'error']) if (row.flags.includes(flag)) names.push(`conv-is-${flag}`)
  if (row.edited) names.push('conv-is-edited')
  return names.join(' ')
}
