// The separator between two panes: moved with the pointer or the arrow keys.

import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import { BOUNDS, setWidth, toggle, type Side } from '../ui/panes'

interface Props {
  side: Side
  width: number
  label: string
}

const STEP = 16
const LEAP = 96

export function Separator({ side, width, label }: Props) {
  const [from, setFrom] = useState<{ x: number; width: number } | null>(null)
  const outward = side === 'left' ? 1 : -1
  const begin = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setFrom({ x: event.clientX, width })
  }
  const drag = (event: PointerEvent) => {
    if (from) setWidth(side, from.width + outward * (event.clientX - from.x))
  }
  const press = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LEAP : STEP
    const to: Record<string, number> = {
      ArrowRight: width + outward * step,
      ArrowLeft: width - outward * step,
      Home: BOUNDS[side].least,
      End: BOUNDS[side].most,
    }
    if (event.key === 'Enter') toggle(side)
    else if (to[event.key] !== undefined) setWidth(side, to[event.key] as number)
    else return
    event.preventDefault()
  }
  return (
    <div
      className={`layout-separator${from ? ' layout-dragged' : ''}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={BOUNDS[side].least}
      aria-valuemax={BOUNDS[side].most}
      tabIndex={0}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={() => setFrom(null)}
      onPointerCancel={() => setFrom(null)}
      onDoubleClick={() => setWidth(side, BOUNDS[side].usual)}
      onKeyDown={press}
    />
  )
}
