// The state of a conversation as small marks with labels.

import type { Card } from '../../data/api/types'
import { Icon, type IconName } from '../../ui/Icon'

interface Mark {
  name: string
  icon: IconName | null
  text: string
}

export function marksOf(card: Card): Mark[] {
  const marks: Mark[] = []
  if (card.live) marks.push({ name: 'live', icon: null, text: 'growing' })
  if (card.edited) marks.push({ name: 'edited', icon: 'edit', text: 'edits not saved' })
  if (card.state === 'gone')
    marks.push({ name: 'gone', icon: 'trash', text: 'the source is gone; the library keeps it' })
  if (card.state === 'damaged')
    marks.push({ name: 'error', icon: 'warning', text: card.trouble ?? 'a part cannot be read' })
  if (card.state === 'unreadable') marks.push({ name: 'error', icon: 'error', text: card.trouble ?? 'cannot be read' })
  return marks
}

export function StateDots({ card }: { card: Card }) {
  return (
    <span className="card-marks">
      {marksOf(card).map((mark) => (
        <span key={mark.name} className={`card-mark card-${mark.name}`} title={mark.text}>
          {mark.icon ? (
            <Icon name={mark.icon} size={13} label={mark.text} />
          ) : (
            <span className="card-dot" role="img" aria-label={mark.text} />
          )}
        </span>
      ))}
    </span>
  )
}
