// A folded run of messages in the graph.

import { memo, useState } from 'react'
import { many, when } from '../../lib/words'
import { useNow } from '../../lib/now'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { Icon } from '../../ui/Icon'
import { whole } from '../../lib/saying'
import { barLength, stretches } from './bar'
import type { Placed } from './lanes'
import { useMarked } from './marked'
import { Rail } from './Rail'
import { nameOf, Renaming, useRenaming } from './Renaming'

interface Props {
  place: Placed
  lanes: number
  top: number
  line: number
  focused: boolean
  /** Whether it is on the shown branch. */
  shown: boolean
  unfolded: boolean
}

export const GraphLine = memo(function GraphLine({ place, lanes, top, line, focused, shown, unfolded }: Props) {
  const { segment } = place
  const { conversation, leaf } = useConversation()
  const renaming = useRenaming() === segment.first
  const [over, setOver] = useState(false)
  const ends = segment.last === segment.leaf
  const marked = useMarked().includes(segment.leaf) && ends
  const name = ends ? nameOf(conversation, segment.leaf) : null
  const hollow = /^[A-Z]+$/.test(segment.roles)
  return (
    <div
      id={`tree-line-${line}`}
      className={[
        'tree-line',
        shown && 'tree-shown',
        focused && 'tree-focused',
        marked && 'tree-marked',
        over && 'tree-drop',
        place.stroke === 'problem' && 'tree-line-problem',
      ]
        .filter(Boolean)
        .join(' ')}
      style={{ top }}
      role="treeitem"
      aria-level={place.level}
      aria-posinset={place.position}
      aria-setsize={place.siblings}
      aria-expanded={segment.messages > 1 ? unfolded : undefined}
      aria-selected={marked}
      aria-label={`${name ? `${name} ` : ''}${segment.label}, ${many(segment.messages, 'message')}${shown ? ', shown' : ''}${segment.kind === 'problem' ? ', hangs on nothing' : ''}`}
      data-line={line}
      onDragEnter={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDrop={() => setOver(false)}
    >
      <Rail
        place={place}
        lanes={lanes}
        hollow={hollow}
        here={shown && ends && segment.leaf === leaf}
        below={unfolded ? place.stroke : undefined}
      />
      <button
        type="button"
        className="tree-fold"
        data-do="fold"
        tabIndex={-1}
        aria-hidden="true"
        disabled={segment.messages < 2}
      >
        {segment.messages > 1 && <Icon name={unfolded ? 'collapse' : 'expand'} size={12} />}
      </button>
      {renaming ? <Renaming leaf={segment.leaf} name={name ?? ''} /> : <Label name={name} label={segment.label} />}{' '}
      {segment.kind === 'problem' && (
        <button
          type="button"
          className="tree-repair"
          data-do="repair"
          tabIndex={-1}
          aria-hidden="true"
          title="What is wrong, and how to repair it"
        >
          <Icon name="warning" size={12} />
        </button>
      )}
      <Bar roles={segment.roles} messages={segment.messages} />
      <Facts messages={segment.messages} time={segment.end} compactions={segment.compactions} />
    </div>
  )
})

function Label({ name, label }: { name: string | null; label: string }) {
  return (
    <span className="tree-label" dir="auto" title={name ? `${name}: ${label}` : label}>
      {name && <b className="tree-name">{name}</b>} {label}
    </span>
  )
}

function Facts({ messages, time, compactions }: { messages: number; time: number | null; compactions: number }) {
  const now = useNow()
  return (
    <span
      className="tree-count"
      aria-hidden="true"
      title={[
        many(messages, 'message'),
        time === null ? '' : when(time, now),
        compactions ? many(compactions, 'compaction') : '',
      ]
        .filter(Boolean)
        .join(' · ')}
    >
      {whole(messages)}
    </span>
  )
}

/** The roles in the run as a bar; longer with more messages. */
function Bar({ roles, messages }: { roles: string; messages: number }) {
  const length = barLength(messages, 6, 64)
  return (
    <svg className="tree-bar" width={length} height={8} aria-hidden="true" focusable="false">
      {stretches(roles).map((part, number) => (
        <rect
          key={number}
          className={`tree-part tree-part-${part.role}${part.hollow ? ' tree-hollow' : ''}`}
          x={part.from * length}
          width={Math.max(0.5, part.size * length)}
          height={8}
        />
      ))}
    </svg>
  )
}
