import type { UsagePoint } from '../../data/api/types'
import { useOpen } from '../../data/conversation/ConversationProvider'
import { lasted } from '../../lib/amounts'
import { ChartFrame } from './ChartFrame'
import { goToRow } from './places'
import { linear, ticks } from './scales'

/** The duration of answers; pauses of the user are not latency, so the scale ignores the few longest. */
export function LatencyChart({ points }: { points: readonly UsagePoint[] }): React.JSX.Element {
  const open = useOpen()
  const timed = points.filter((point) => point.seconds !== null)
  const sorted = timed.map((point) => point.seconds ?? 0).toSorted((a, b) => a - b)
  const usual = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 1
  const marks = ticks(Math.max(usual, 1))
  const top = marks[marks.length - 1] ?? 1
  const places = timed.map((_, number) => (number + 0.5) / timed.length)
  return (
    <section aria-label="Time to answer">
      <h2 className="inspector-heading">Time to answer</h2>
      <ChartFrame
        label="Time to answer"
        places={places}
        say={(number) => `#${(timed[number]?.start ?? 0) + 1} · ${lasted(timed[number]?.seconds ?? 0)}`}
        onGo={(number) => timed[number] && void goToRow(open, timed[number].start)}
        ticks={marks.map((mark) => ({ at: mark / top, text: lasted(mark) }))}
        ends={[`#${(timed[0]?.start ?? 0) + 1}`, `#${(timed[timed.length - 1]?.start ?? 0) + 1}`]}
      >
        {(plane) => {
          const y = linear([0, top], [plane.bottom, plane.top])
          const slot = (plane.right - plane.left) / Math.max(1, timed.length)
          const width = Math.max(1, Math.min(24, slot - (slot > 4 ? 1 : 0)))
          return timed.map((point, number) => {
            const seconds = point.seconds ?? 0
            const height = y(0) - y(Math.min(seconds, top))
            const x = plane.left + (number + 0.5) * slot - width / 2
            return (
              <rect
                key={number}
                className={seconds > top ? 'usage-long' : 'usage-time'}
                x={x}
                width={width}
                y={plane.bottom - height}
                height={Math.max(0.5, height)}
              />
            )
          })
        }}
      </ChartFrame>
    </section>
  )
}
