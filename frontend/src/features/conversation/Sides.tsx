// Sub-agents that were started here.

import type { Row } from '../../data/api/types'
import { useOpen } from '../../data/conversation/ConversationProvider'
import { Icon } from '../../ui/Icon'
import { enter } from './trail'
import { many } from '../../lib/words'

export function Sides({ row }: { row: Row }) {
  const open = useOpen()
  // Those of a visible call are linked there.
  const linked = new Set(row.blocks.map((block) => block.leaf).filter(Boolean))
  const sides = row.sides.filter((side) => !linked.has(side.leaf))
  if (!sides.length) return null
  return (
    <div className="conv-sides">
      {sides.map((side) => (
        <button
          key={side.leaf}
          type="button"
          className="conv-side"
          onClick={() => enter(open, side.leaf, side.label, row.id, side.messages)}
        >
          <Icon name="side" size={14} />
          <span className="conv-side-label">{side.label || 'Sub-agent'}</span>
          <span className="conv-faint">{many(side.messages, 'message')}</span>
        </button>
      ))}
    </div>
  )
}
