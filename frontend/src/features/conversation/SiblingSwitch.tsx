// `‹ 2/3 ›`: the siblings of this message.

import type { Row } from '../../data/api/types'
import { Icon } from '../../ui/Icon'

export function SiblingSwitch({ row }: { row: Row }) {
  const siblings = row.siblings
  if (!siblings || siblings.total < 2) return null
  const { number, total } = siblings
  return (
    <span className="conv-siblings" role="group" aria-label={`Version ${number + 1} of ${total}`}>
      <button
        type="button"
        data-do="previous-sibling"
        disabled={number === 0}
        aria-label="Previous version"
        title="Previous version (h)"
      >
        <Icon name="previous" size={12} />
      </button>
      <span aria-hidden="true">
        {number + 1}/{total}
      </span>
      <button
        type="button"
        data-do="next-sibling"
        disabled={number >= total - 1}
        aria-label="Next version"
        title="Next version (l)"
      >
        <Icon name="next" size={12} />
      </button>
    </span>
  )
}
