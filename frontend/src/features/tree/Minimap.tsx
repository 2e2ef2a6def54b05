// An overview of the whole tree; dragging scrolls it.

import { useEffect, useRef, type PointerEvent, type RefObject } from 'react'
import type { Lines } from './flat'
import type { Layout } from './lanes'

interface Props {
  placed: Layout
  lines: Lines
  onPath: ReadonlySet<string>
  scroller: RefObject<HTMLDivElement | null>
  /** The total height of all lines. */
  height: number
}

const WIDTH = 44

export function Minimap({ placed, lines, onPath, scroller, height }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const box = scroller.current
    if (!box || !canvas.current) return
    const draw = () => canvas.current && paint(canvas.current, placed, lines, onPath, box.clientHeight)
    const move = () => frame.current && follow(frame.current, box, height)
    const both = () => (draw(), move())
    both()
    const watcher = new ResizeObserver(both)
    watcher.observe(box)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    box.addEventListener('scroll', move, { passive: true })
    return () => {
      watcher.disconnect()
      theme.disconnect()
      box.removeEventListener('scroll', move)
    }
  }, [placed, lines, onPath, height, scroller])
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === 'pointermove' && !(event.buttons & 1)) return
    const box = scroller.current
    if (!box) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const rect = event.currentTarget.getBoundingClientRect()
    box.scrollTop = ((event.clientY - rect.top) / rect.height) * height - box.clientHeight / 2
  }
  return (
    <div className="tree-map" aria-hidden="true" onPointerDown={drag} onPointerMove={drag}>
      <canvas ref={canvas} />
      <div ref={frame} className="tree-map-frame" />
    </div>
  )
}

/** Scrolls the marker to the visible part. */
function follow(frame: HTMLElement, box: HTMLElement, height: number): void {
  const share = box.clientHeight / Math.max(1, height)
  frame.style.height = `${Math.max(8, Math.min(1, share) * box.clientHeight)}px`
  frame.style.top = `${(box.scrollTop / Math.max(1, height)) * box.clientHeight}px`
}

function paint(
  canvas: HTMLCanvasElement,
  placed: Layout,
  lines: Lines,
  onPath: ReadonlySet<string>,
  height: number,
): void {
  const ratio = devicePixelRatio || 1
  canvas.width = WIDTH * ratio
  canvas.height = height * ratio
  canvas.style.width = `${WIDTH}px`
  canvas.style.height = `${height}px`
  const pen = canvas.getContext('2d')
  if (!pen) return
  pen.scale(ratio, ratio)
  const colours = coloursOf(canvas)
  const lane = Math.min(6, (WIDTH - 8) / Math.max(1, placed.lanes))
  const unit = height / Math.max(1, lines.length)
  for (const row of placed.rows) {
    const shown = onPath.has(row.segment.first)
    pen.fillStyle =
      row.stroke === 'problem'
        ? colours.problem
        : shown
          ? colours.shown
          : row.stroke === 'sidechain'
            ? colours.side
            : colours.line
    const top = lines.lineOf(row.row) * unit
    pen.fillRect(4 + row.lane * lane, top, Math.max(2, lane - 1), Math.max(1, unit - 0.5))
    for (const passing of row.passing) pen.fillRect(4 + passing.lane * lane + lane / 2 - 0.5, top, 0.5, unit)
  }
}

function coloursOf(canvas: HTMLCanvasElement): { line: string; shown: string; side: string; problem: string } {
  // Only a real property returns a computed colour: the custom ones contain both themes.
  const colour = (name: string) => {
    canvas.style.color = `var(${name})`
    return getComputedStyle(canvas).color
  }
  return {
    line: colour('--tt-line-strong'),
    shown: colour('--tt-accent'),
    side: colour('--tt-tool'),
    problem: colour('--tt-error'),
  }
}
