/** The two points of the conversation between which a file is compared. */

import type { FileItem } from '../../data/api/types'
import { moment } from '../../lib/amounts'

export interface DiffPoint {
  /** The value for the server; empty is the beginning or the end. */
  value: string
  text: string
}

export interface Span {
  since: string
  until: string
}

/** The whole branch, from the beginning to now. */
export const WHOLE: Span = { since: '', until: '' }

/** Returns every change of the file as a point, without duplicates. */
export function touchPoints(file: FileItem): DiffPoint[] {
  const seen = new Set<string>()
  const points: DiffPoint[] = []
  for (const touch of file.touches) {
    if (touch.kind === 'read' || seen.has(touch.message)) continue
    seen.add(touch.message)
    const row = touch.number === null ? '' : ` #${touch.number + 1}`
    points.push({ value: touch.message, text: `${touch.kind}${row} ${moment(touch.time)}`.trim() })
  }
  return points
}

/** Returns the choices for one side. */
export function choices(file: FileItem, selected: string | null, side: keyof Span): DiffPoint[] {
  const points = touchPoints(file)
  const ends = { value: '', text: side === 'since' ? 'the beginning' : 'the end' }
  if (!selected || points.some((point) => point.value === selected)) return [ends, ...points]
  return [ends, ...points, { value: selected, text: 'selected message' }]
}

/** Returns the span of one change: from the change before it to itself. */
export function ofTouch(file: FileItem, message: string): Span {
  const points = touchPoints(file)
  const number = points.findIndex((point) => point.value === message)
  return { since: number > 0 ? (points[number - 1]?.value ?? '') : '', until: message }
}

/** Describes what is compared. */
export function describeSpan(span: Span, points: readonly DiffPoint[]): string {
  const name = (value: string, end: string): string =>
    value === '' ? end : (points.find((point) => point.value === value)?.text ?? 'selected message')
  return `from ${name(span.since, 'the beginning')} to ${name(span.until, 'the end')}`
}
