// Tokens, cost or messages by day, as bars.

import { useState } from 'react'
import type { DayUsage } from '../../../data/api/types'
import { count, money, roughly, short } from '../../../lib/saying'
import { useWidth } from './useWidth'
import { barsOf, KINDS, sumOf, type Bar } from './bars'

export type Measure = 'tokens' | 'cost' | 'messages'

interface Props {
  days: readonly DayUsage[]
  measures: readonly Measure[]
}

const HEIGHT = 150
const LEFT = 44
const BOTTOM = 20
const TOP = 8
const MOST = 120
const LEAST = 3
const NAMES = { tokens: 'Tokens', cost: 'Cost', messages: 'Answers' } as const
const KIND_NAMES = { input: 'in', output: 'out', cache_read: 'from the cache', cache_write: 'into the cache' } as const

export function DayBars({ days, measures }: Props) {
  const [chosen, setMeasure] = useState<Measure | null>(null)
  const [hovered, setHovered] = useState('')
  const [box, width] = useWidth<HTMLElement>(720)
  const measure = chosen && measures.includes(chosen) ? chosen : (measures[0] ?? 'messages')
  const bars = barsOf(days, Math.max(10, Math.min(MOST, Math.floor((width - LEFT) / LEAST))))
  const most = Math.max(1e-9, ...bars.map((bar) => amount(bar, measure)))
  const step = (width - LEFT) / Math.max(1, bars.length)
  const scale = (value: number) => (value / most) * (HEIGHT - TOP - BOTTOM)
  const total = bars.reduce((sum, bar) => sum + amount(bar, measure), 0)
  return (
    <figure ref={box} className="chart" aria-label={`${NAMES[measure]} by day`}>
      <figcaption className="chart-caption">
        <span className="chart-measures" role="group" aria-label="What is shown">
          {measures.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === measure}
              className="chart-measure"
              onClick={() => setMeasure(one)}
            >
              {NAMES[one]}
            </button>
          ))}
        </span>
        <span className="chart-detail">{hovered || `${say(total, measure)} in all`}</span>
      </figcaption>
      <svg
        className="chart-bars"
        role="img"
        aria-label={`${NAMES[measure]} by day from ${bars[0]?.from ?? ''} to ${bars.at(-1)?.to ?? ''}, ${say(total, measure)} in all, at most ${say(most, measure)}`}
        width={width}
        height={HEIGHT}
        onMouseLeave={() => setHovered('')}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              className="chart-line"
              x1={LEFT}
              x2={width}
              y1={base - scale(most * share)}
              y2={base - scale(most * share)}
            />
            <text className="chart-text" x={LEFT - 6} y={base - scale(most * share) + 4} textAnchor="end">
              {share === 0 ? '' : say(most * share, measure, true)}
            </text>
          </g>
        ))}
        {bars.map((bar, at) => (
          <g key={bar.from} onMouseEnter={() => setHovered(`${dates(bar)}: ${detail(bar, measure)}`)}>
            <rect className="chart-hover" x={LEFT + at * step} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} />
            <Stack
              bar={bar}
              measure={measure}
              x={LEFT + at * step}
              width={Math.max(1, step - Math.min(2, step / 4))}
              scale={scale}
            />
          </g>
        ))}
        <text className="chart-text" x={LEFT} y={HEIGHT - 4}>
          {bars[0]?.from}
        </text>
        <text className="chart-text" x={width} y={HEIGHT - 4} textAnchor="end">
          {bars.length > 1 ? bars.at(-1)?.to : ''}
        </text>
      </svg>
    </figure>
  )
}

const base = HEIGHT - BOTTOM

interface StackProps {
  bar: Bar
  measure: Measure
  x: number
  width: number
  scale: (value: number) => number
}

function Stack({ bar, measure, x, width, scale }: StackProps) {
  const parts =
    measure === 'tokens'
      ? KINDS.map((kind) => [kind, bar.tokens[kind]] as const)
      : [['output', amount(bar, measure)] as const]
  let below = base
  return parts.map(([kind, value]) => {
    const height = scale(value)
    below -= height
    return value > 0 ? (
      <rect key={kind} className={`chart-${kind}`} x={x} y={below} width={width} height={Math.max(0.6, height)} />
    ) : null
  })
}

function amount(bar: Bar, measure: Measure): number {
  return measure === 'tokens' ? sumOf(bar.tokens) : measure === 'cost' ? bar.cost : bar.messages
}

function say(value: number, measure: Measure, brief = false): string {
  if (measure === 'cost') return money(value)
  return brief ? short(value) : measure === 'tokens' ? roughly(value, 'token') : count(Math.round(value), 'answer')
}

function dates(bar: Bar): string {
  return bar.from === bar.to ? bar.from : `${bar.from} to ${bar.to}`
}

function detail(bar: Bar, measure: Measure): string {
  if (measure !== 'tokens') return say(amount(bar, measure), measure)
  const parts = KINDS.filter((kind) => bar.tokens[kind] > 0).map(
    (kind) => `${short(bar.tokens[kind])} ${KIND_NAMES[kind]}`,
  )
  return parts.join(', ') || 'none'
}
