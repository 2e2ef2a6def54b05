// Answers by hour of the week.

import { useState } from 'react'
import { count } from '../../../lib/saying'
import { shades, shifted } from './calendar'
import { useWidth } from './useWidth'

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const LEAST = 10
const MOST = 20
const ROW = 16
const LEFT = 32
const TOP = 4

export function HourMap({ hours: inUtc }: { hours: readonly number[] }) {
  const hours = shifted(inUtc, -new Date().getTimezoneOffset())
  const [hovered, setHovered] = useState('')
  const [box, room] = useWidth<HTMLElement>(420)
  const step = Math.max(LEAST, Math.min(MOST, Math.floor((room - LEFT) / 24)))
  const shade = shades(hours)
  const most = hours.indexOf(Math.max(...hours))
  const busiest = `busiest ${nameOf(most)}`
  return (
    <figure ref={box} className="chart" aria-label="Activity by hour of the week">
      <figcaption className="chart-caption">
        Hours of the week <span className="chart-detail">{hovered || busiest}</span>
      </figcaption>
      <svg
        className="chart-hours"
        role="img"
        aria-label={`Answers by hour of the week, ${busiest}`}
        width={LEFT + 24 * step}
        height={TOP + 7 * ROW + 16}
        onMouseLeave={() => setHovered('')}
      >
        {DAYS.map((name, at) => (
          <text key={name} className="chart-text" x={0} y={TOP + at * ROW + 11}>
            {name}
          </text>
        ))}
        {[0, 6, 12, 18].map((hour) => (
          <text key={hour} className="chart-text" x={LEFT + hour * step} y={TOP + 7 * ROW + 12}>
            {`${String(hour).padStart(2, '0')}:00`}
          </text>
        ))}
        {hours.map((messages, at) => (
          <rect
            key={at}
            className={`chart-shade-${shade(messages)}`}
            x={LEFT + (at % 24) * step}
            y={TOP + Math.floor(at / 24) * ROW}
            width={step - 3}
            height={ROW - 3}
            rx={2}
            onMouseEnter={() => setHovered(`${nameOf(at)}: ${count(messages, 'answer')}`)}
          />
        ))}
      </svg>
    </figure>
  )
}

function nameOf(at: number): string {
  return `${DAYS[Math.floor(at / 24)] ?? ''} ${String(at % 24).padStart(2, '0')}:00`
}
