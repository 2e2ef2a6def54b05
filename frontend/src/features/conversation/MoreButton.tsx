// The button that opens the menu of a message.

import { Icon } from '../../ui/Icon'

export function MoreButton() {
  return (
    <button
      type="button"
      className="conv-more"
      data-do="menu"
      aria-haspopup="menu"
      aria-label="Actions of this message"
      title="Actions (m)"
    >
      <Icon name="more" />
    </button>
  )
}
