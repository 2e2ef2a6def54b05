// A line of the palette.

import { Keys } from '../../ui/keys/Keys'
import { keysOf } from '../../ui/keys/registry'
import { projectName } from '../library/filters'
import { Icon, type IconName } from '../../ui/Icon'
import { age, count } from '../../lib/saying'
import type { Entry } from './entries'

interface Props {
  id: string
  entry: Entry
  chosen: boolean
  onChoose: (entry: Entry) => void
}

export function EntryView({ id, entry, chosen, onChoose }: Props) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      className={`palette-entry palette-${entry.kind}`}
      onClick={() => onChoose(entry)}
    >
      {entry.kind === 'command' && <CommandLine entry={entry} />}
      {entry.kind === 'title' && <TitleLine entry={entry} />}
      {entry.kind === 'hit' && <HitLine entry={entry} />}
    </div>
  )
}

function CommandLine({ entry }: { entry: Extract<Entry, { kind: 'command' }> }) {
  const keys = keysOf(entry.binding)[0]
  return (
    <>
      <Icon name="terminal" />
      <span className="palette-main">{entry.binding.text}</span>
      {keys && <Keys keys={keys} />}
    </>
  )
}

function TitleLine({ entry: { card } }: { entry: Extract<Entry, { kind: 'title' }> }) {
  const facts = [projectName(card.project), count(card.messages, 'message'), age(card.last)].filter(Boolean)
  return (
    <>
      <Icon name="message" />
      <span className="palette-main" dir="auto">
        {card.title || 'Untitled'}
      </span>
      <span className="palette-facts">{facts.join(' · ')}</span>
    </>
  )
}

const ROLES: Record<string, IconName> = { user: 'person', assistant: 'agent', tool: 'tool', system: 'system' }

function HitLine({ entry: { hit } }: { entry: Extract<Entry, { kind: 'hit' }> }) {
  const facts = [hit.title, hit.state === 'current' ? '' : hit.state, age(hit.time)].filter(Boolean)
  return (
    <>
      <Icon
        name={ROLES[hit.role] ?? 'message'}
        label={hit.role}
        className={`palette-role-${hit.role in ROLES ? hit.role : 'other'}`}
      />
      <span className="palette-main">
        <span className="palette-excerpt" dir="auto">
          {hit.excerpt.map((span, at) =>
            span.mark ? <mark key={at}>{span.text}</mark> : <span key={at}>{span.text}</span>,
          )}
        </span>
        <span className="palette-facts">{facts.join(' · ')}</span>
      </span>
    </>
  )
}
