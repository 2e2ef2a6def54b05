// Sub-agents that were started here.

import type { Row } from '../api/types'
import { Icon } from '../shell/Icon'
import { enter } from './trail'
import { many } from './words'

export function Sides({ row }: { row: Row }) {
  // Those that a call shows are linked there.
  const linked = new Set(row.blocks.map((block) => block.leaf).filter(Boolean))
  const sides = row.sides.filter((side) => !linked.has(side.leaf))
  if (!sides.length) return null
  return (
    <div className="conv-sides">
      {sides.map((side) => (
        <button key={side.leaf} type="button" className="conv-side" onClick={() => enter(side.leaf, side.label, row.id, side.messages)}>
          <Icon name="side" size={14} />
          <span className="conv-side-label">{side.label || 'Sub-agent'}</span>
          <span className="conv-faint">{many(side.messages, 'message')}</span>
        </button>
      ))}
    </div>
  )
}
