import { useState } from 'react'
import type { UsagePoint } from '../../data/api/types'
import { useOpen } from '../../data/conversation/ConversationProvider'
import { Button } from '../../ui/Button'
import { money, short } from '../../lib/amounts'
import { ChartFrame, type Plane } from './ChartFrame'
import { goToRow } from './places'
import { line, linear, ticks, type Point } from './scales'
import { NAMES, SHORT, highest, series, stacked, type TokenKind } from './usageSeries'

interface Props {
  points: readonly UsagePoint[]
  kinds: readonly TokenKind[]
}

/** Tokens by message, or cumulative; each kind can be hidden, because cached ones dwarf the others. */
export function TokenChart({ points, kinds }: Props): React.JSX.Element {
  const open = useOpen()
  const [summed, setSummed] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<TokenKind>>(new Set())
  const shown = kinds.filter((kind) => !hidden.has(kind))
  const layers = stacked(series(points, shown, summed))
  const marks = ticks(highest(layers))
  const top = marks[marks.length - 1] ?? 1
  const places = points.map((_, number) => (number + 0.5) / points.length)

  const toggle = (kind: TokenKind): void => {
    const next = new Set(hidden)
    if (!next.delete(kind)) next.add(kind)
    setHidden(next)
  }
  const say = (number: number): string => {
    const point = points[number]
    if (!point) return ''
    const parts = shown.map((kind) => {
      const [from, to] = layers.get(kind)?.[number] ?? [0, 0]
      return `${SHORT[kind]} ${short(to - from)}`
    })
    const cost = point.cost == null || summed ? '' : ` · ${money(point.cost)}`
    return `#${point.start + 1} · ${parts.join(' · ')}${cost}`
  }
  return (
    <section aria-label="Tokens">
      <div className="usage-head">
        <h2 className="inspector-heading">Tokens</h2>
        <div className="inspector-switch" role="group" aria-label="Tokens by message or summed up">
          <Button small pressed={!summed} onClick={() => setSummed(false)}>
            each
          </Button>
          <Button small pressed={summed} onClick={() => setSummed(true)}>
            summed
          </Button>
        </div>
      </div>
      <ChartFrame
        label="Tokens by message"
        places={places}
        say={say}
        onGo={(number) => points[number] && void goToRow(open, points[number].start)}
        ticks={marks.map((mark) => ({ at: mark / top, text: short(mark) }))}
        ends={[`#${(points[0]?.start ?? 0) + 1}`, `#${(points[points.length - 1]?.start ?? 0) + 1}`]}
      >
        {(plane) =>
          shown.map((kind) => (
            <Layer key={kind} kind={kind} spans={layers.get(kind) ?? []} top={top} plane={plane} filled={summed} />
          ))
        }
      </ChartFrame>
      <div className="usage-legend" role="group" aria-label="Kinds of tokens shown">
        {kinds.map((kind) => (
          <button key={kind} type="button" aria-pressed={!hidden.has(kind)} onClick={() => toggle(kind)}>
            <span className={`usage-swatch usage-${kind}`} /> {NAMES[kind]}
          </button>
        ))}
      </div>
    </section>
  )
}

interface LayerProps {
  kind: TokenKind
  spans: readonly [number, number][]
  top: number
  plane: Plane
  filled: boolean
}

function Layer({ kind, spans, top, plane, filled }: LayerProps): React.JSX.Element {
  const y = linear([0, top], [plane.bottom, plane.top])
  const slot = (plane.right - plane.left) / Math.max(1, spans.length)
  const center = (number: number): number => plane.left + (number + 0.5) * slot
  if (filled) {
    const upper: Point[] = spans.map(([, to], number) => ({ x: center(number), y: y(to) }))
    const lower: Point[] = spans.map(([from], number) => ({ x: center(number), y: y(from) })).toReversed()
    return <path className={`usage-${kind}`} d={`${line([...upper, ...lower])}Z`} />
  }
  const width = Math.max(1, Math.min(24, slot - (slot > 4 ? 1 : 0)))
  return (
    <g className={`usage-${kind}`}>
      {spans.map(([from, to], number) =>
        to > from ? (
          <rect
            key={number}
            x={center(number) - width / 2}
            width={width}
            y={y(to)}
            height={Math.max(0.5, y(from) - y(to))}
          />
        ) : null,
      )}
    </g>
  )
}
