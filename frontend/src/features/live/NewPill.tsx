// "12 new messages ↓": goes to the end and follows it.

import { Icon } from '../../ui/Icon'
import './live.css'

interface Props {
  count: number
  /** Whether the end is far away, without new messages. */
  far: boolean
  onGo: () => void
}

export function NewPill({ count, far, onGo }: Props) {
  if (!count && !far) return null
  const text = count ? `${count.toLocaleString('en')} new ${count === 1 ? 'message' : 'messages'}` : ''
  return (
    <button
      type="button"
      className={`live-pill${count ? ' live-new' : ''}`}
      onClick={onGo}
      aria-label={text || 'To the end'}
      title="To the end (G)"
    >
      {text}
      <Icon name="down" size={14} />
    </button>
  )
}
