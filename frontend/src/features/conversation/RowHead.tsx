// The line above a message: speaker, time, facts, and actions.

import { MoreButton } from './MoreButton'
import type { Chip, Row } from '../../data/api/types'
import { Icon, type IconName } from '../../ui/Icon'
import { useNow } from '../../lib/now'
import { SiblingSwitch } from './SiblingSwitch'
import { Spent } from './Spent'
import { exactly, isName, speakerOf, when, type Part } from '../../lib/words'

const ICONS: Record<Part, IconName> = {
  user: 'person',
  agent: 'agent',
  tool: 'tool',
  system: 'system',
  error: 'error',
  other: 'message',
}
/** Maximum number of facts in the head; all of them are in the row's title and the inspector. */
const MOST_CHIPS = 6
/** Facts that need no name; a number or a word is shown with its name. */
const PLAIN = new Set(['model', 'author', 'tag', 'agent', 'cwd', 'git'])

export function RowHead({ row, part, known }: { row: Row; part: Part; known: string }) {
  return (
    <header className="conv-head" draggable data-drag="">
      <div className="conv-who">
        <Icon name={ICONS[part]} className="conv-role-icon" />
        <span className="conv-role">{speakerOf(row)}</span>
        {row.time !== null && <Time time={row.time} />}
        <Chips row={row} known={known} />
        <Flags row={row} />
      </div>
      <div className="conv-tools">
        <Spent row={row} />
        {row.siblings && <SiblingSwitch row={row} />}
        <MoreButton />
      </div>
    </header>
  )
}

function Time({ time }: { time: number }) {
  const now = useNow()
  return (
    <time className="conv-time" dateTime={new Date(time).toISOString()} title={exactly(time)}>
      {when(time, now)}
    </time>
  )
}

function Chips({ row, known }: { row: Row; known: string }) {
  const said = new Set(known.split(' '))
  const isNews = (chip: Chip) =>
    chip.name !== 'flag' &&
    !said.has(chip.name) &&
    (chip.name !== 'author' || (isName(chip.text, row.role) && chip.text !== row.speaker))
  const shown = row.chips.filter(isNews).slice(0, MOST_CHIPS)
  if (!shown.length) return null
  return (
    <span className="conv-chips">
      {shown.map((chip, at) => (
        <span key={at} className={`conv-chip conv-chip-${chip.tone}`} title={`${chip.name}: ${chip.text}`}>
          {!PLAIN.has(chip.name) && <span className="conv-chip-name">{chip.name} </span>}
          {chip.text}
        </span>
      ))}
    </span>
  )
}

const FLAGS: Record<string, { text: string; title: string; bad?: boolean }> = {
  deleted: { text: 'deleted', title: 'Marked as deleted; it can be restored' },
  aborted: { text: 'aborted', title: 'It was broken off', bad: true },
  sidechain: { text: 'sub-agent', title: 'Part of a sub-agent’s conversation' },
  error: { text: 'error', title: 'It tells of an error', bad: true },
  meta: { text: 'meta', title: 'Written by the program, not by a person' },
}

function Flags({ row }: { row: Row }) {
  const flags = row.flags.map((flag) => ({ flag, ...(FLAGS[flag] ?? { text: flag, title: flag }) }))
  if (row.inferred)
    flags.push({
      flag: 'inferred',
      text: 'place inferred',
      title: 'The file does not say where this belongs; its place was inferred',
    })
  if (row.edited)
    flags.push({
      flag: 'edited',
      text: row.edited,
      title: row.edited === 'new' ? 'Added here, not saved yet' : 'Changed here, not saved yet',
    })
  return flags.map(({ flag, text, title, bad }) => (
    <span key={flag} className={`conv-flag conv-flag-${bad ? 'bad' : flag}`} title={title}>
      {text}
    </span>
  ))
}
