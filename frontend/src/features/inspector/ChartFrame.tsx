import { useEffect, useRef, useState, type ReactNode } from 'react'
import { nearest } from './scales'
import './chart.css'

const HEIGHT = 120
const LEFT = 36
const BOTTOM = 16
const TOP = 8
const RIGHT = 6

export interface Plane {
  left: number
  right: number
  top: number
  bottom: number
}

interface Props {
  label: string
  /** The horizontal positions of the values, 0 to 1. */
  places: readonly number[]
  /** Returns the text for one of them, shown and read out. */
  say: (number: number) => string
  onGo: (number: number) => void
  ticks: readonly { at: number; text: string }[]
  ends?: readonly [string, string]
  marked?: number | null
  children: (plane: Plane, width: number) => ReactNode
}

/** A chart with a cursor that follows the pointer and the arrow keys; Enter goes to the place. */
export function ChartFrame({
  label,
  places,
  say,
  onGo,
  ticks,
  ends,
  marked = null,
  children,
}: Props): React.JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const [over, setOver] = useState<number | null>(null)
  const plane: Plane = { left: LEFT, right: width - RIGHT, top: TOP, bottom: HEIGHT - BOTTOM }
  const x = (share: number): number => plane.left + share * (plane.right - plane.left)
  const y = (share: number): number => plane.bottom - share * (plane.bottom - plane.top)
  const at = Math.min(over ?? marked ?? places.length - 1, places.length - 1)

  const point = (event: React.PointerEvent<SVGSVGElement>): void => {
    const { left } = event.currentTarget.getBoundingClientRect()
    setOver(nearest(places, (event.clientX - left - plane.left) / (plane.right - plane.left)))
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const last = places.length - 1
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key]
    if (to !== undefined) setOver(Math.max(0, Math.min(last, to)))
    else if (event.key === 'Enter' || event.key === ' ') onGo(at)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <figure className="inspector-chart">
      <div
        ref={box}
        className="inspector-chart-box"
        role="slider"
        tabIndex={0}
        aria-label={`${label}; Enter goes there`}
        aria-valuemin={1}
        aria-valuemax={places.length}
        aria-valuenow={at + 1}
        aria-valuetext={say(at)}
        onKeyDown={onKeyDown}
        onBlur={() => setOver(null)}
      >
        <svg
          width={width}
          height={HEIGHT}
          aria-hidden="true"
          onPointerMove={point}
          onPointerLeave={() => setOver(null)}
          onClick={() => onGo(at)}
        >
          {ticks.map((tick) => (
            <g key={tick.at}>
              <line className="inspector-chart-grid" x1={plane.left} x2={plane.right} y1={y(tick.at)} y2={y(tick.at)} />
              <text className="inspector-chart-tick" x={plane.left - 6} y={y(tick.at) + 4} textAnchor="end">
                {tick.text}
              </text>
            </g>
          ))}
          {children(plane, width)}
          {ends && (
            <>
              <text className="inspector-chart-tick" x={plane.left} y={HEIGHT - 3}>
                {ends[0]}
              </text>
              <text className="inspector-chart-tick" x={plane.right} y={HEIGHT - 3} textAnchor="end">
                {ends[1]}
              </text>
            </>
          )}
          {marked !== null && places[marked] !== undefined && (
            <line
              className="inspector-chart-marked"
              x1={x(places[marked])}
              x2={x(places[marked])}
              y1={plane.top}
              y2={plane.bottom}
            />
          )}
          {over !== null && places[at] !== undefined && (
            <line
              className="inspector-chart-over"
              x1={x(places[at])}
              x2={x(places[at])}
              y1={plane.top}
              y2={plane.bottom}
            />
          )}
        </svg>
      </div>
      <figcaption className="inspector-chart-said">{places.length > 0 ? say(at) : ''}</figcaption>
    </figure>
  )
}

function useWidth(box: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(300)
  useEffect(() => {
    const element = box.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.max(160, Math.floor(entry.contentRect.width))))
    watch.observe(element)
    return () => watch.disconnect()
  }, [box])
  return width
}
