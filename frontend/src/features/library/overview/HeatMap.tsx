// Answers for each day, as a calendar.

import { useLayoutEffect, useState } from 'react'
import type { DayUsage } from '../../../data/api/types'
import { count } from '../../../lib/saying'
import { calendar, endOf, shades } from './calendar'
import { useWidth } from './useWidth'

const LEAST = 13
const MOST = 18
const GAP = 3
const LEFT = 30
const TOP = 16
const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri', '', '']

interface Props {
  days: readonly DayUsage[]
  weeks: number
}

export function HeatMap({ days, weeks }: Props) {
  const [hovered, setHovered] = useState('')
  const [box, room] = useWidth<HTMLDivElement>(720)
  const step = Math.max(LEAST, Math.min(MOST, Math.floor((room - LEFT) / weeks)))
  const size = step - GAP
  const { cells, months } = calendar(days, endOf(days, today()), weeks)
  const shade = shades(cells.map((cell) => cell.messages))
  const sum = cells.reduce((total, cell) => total + cell.messages, 0)
  const active = cells.filter((cell) => cell.messages > 0).length
  const label = `Answers a day over ${weeks} weeks: ${count(sum, 'answer')} on ${count(active, 'day')}`
  // The newest days are at the end, and usually the relevant ones.
  useLayoutEffect(() => {
    if (box.current) box.current.scrollLeft = box.current.scrollWidth
  }, [box, weeks, step])
  return (
    <figure className="chart" aria-label="Activity by day">
      <figcaption className="chart-caption">
        Activity <span className="chart-detail">{hovered || `${count(sum, 'answer')} on ${count(active, 'day')}`}</span>
      </figcaption>
      <div ref={box} className="chart-scroll" tabIndex={0} role="group" aria-label="Calendar">
        <svg
          className="chart-heat"
          role="img"
          aria-label={label}
          width={LEFT + weeks * step}
          height={TOP + 7 * step}
          onMouseLeave={() => setHovered('')}
        >
          {months.map((month) => (
            <text key={month.week} className="chart-text" x={LEFT + month.week * step} y={TOP - 5}>
              {month.name}
            </text>
          ))}
          {WEEKDAYS.map((name, at) => (
            <text key={at} className="chart-text" x={0} y={TOP + at * step + size - 1}>
              {name}
            </text>
          ))}
          {cells.map((cell) => (
            <rect
              key={cell.day}
              className={`chart-shade-${shade(cell.messages)}`}
              x={LEFT + cell.week * step}
              y={TOP + cell.weekday * step}
              width={size}
              height={size}
              rx={2}
              onMouseEnter={() => setHovered(`${cell.day}: ${count(cell.messages, 'answer')}`)}
            />
          ))}
        </svg>
      </div>
    </figure>
  )
}

function today(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}
