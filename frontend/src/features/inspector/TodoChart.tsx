import type { TodoStep } from '../../data/api/types'
import { moment } from '../../lib/amounts'
import { ChartFrame } from './ChartFrame'
import { area, countTicks, line, linear, stairs } from './scales'

interface Props {
  steps: readonly TodoStep[]
  /** The reader's row. */
  row: number | null
  onGo: (message: string) => void
}

/** The number of tasks and of done tasks, step by step. */
export function TodoChart({ steps, row, onGo }: Props): React.JSX.Element {
  const most = Math.max(1, ...steps.map((step) => step.total))
  const marks = countTicks(most)
  const top = marks[marks.length - 1] ?? 1
  // Steps have equal distances: their number is more informative than the time between them. The last one is extended,
  // so that it is visible.
  const places = steps.map((_, number) => number / steps.length)
  const first = steps[0]
  const last = steps[steps.length - 1]
  const marked = row === null ? -1 : steps.findLastIndex((step) => step.number !== null && step.number <= row)
  const say = (number: number): string => {
    const step = steps[number]
    if (!step) return ''
    const place = step.number === null ? '' : `#${step.number + 1} · `
    return `${place}${step.done} of ${step.total} done${step.time === null ? '' : ` · ${moment(step.time)}`}`
  }
  return (
    <ChartFrame
      label="Tasks over time"
      places={places}
      say={say}
      onGo={(number) => steps[number] && onGo(steps[number].message)}
      ticks={marks.map((mark) => ({ at: mark / top, text: String(mark) }))}
      ends={[first?.number != null ? `#${first.number + 1}` : '', last?.number != null ? `#${last.number + 1}` : '']}
      marked={marked === -1 ? null : marked}
    >
      {(plane) => {
        const x = linear([0, 1], [plane.left, plane.right])
        const y = linear([0, top], [plane.bottom, plane.top])
        const path = (value: (step: TodoStep) => number) =>
          stairs(
            steps.map((step, number) => ({ x: x(places[number] ?? 0), y: y(value(step)) })),
            plane.right,
          )
        return (
          <>
            <path
              className="inspector-chart-area-faint"
              d={area(
                path((step) => step.total),
                plane.bottom,
              )}
            />
            <path className="inspector-chart-line-faint" d={line(path((step) => step.total))} />
            <path
              className="inspector-chart-area-good"
              d={area(
                path((step) => step.done),
                plane.bottom,
              )}
            />
            <path className="inspector-chart-line-good" d={line(path((step) => step.done))} />
          </>
        )
      }}
    </ChartFrame>
  )
}
