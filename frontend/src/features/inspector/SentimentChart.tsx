import { useOpen } from '../../data/conversation/ConversationProvider'
import { ChartFrame } from './ChartFrame'
import { goToRow } from './places'
import { line, linear } from './scales'

/** The sentiment over time, if the format records it: -1 to 1. */
export function SentimentChart({ values }: { values: readonly [number, number][] }): React.JSX.Element {
  const open = useOpen()
  const places = values.map((_, number) => (values.length === 1 ? 0.5 : number / (values.length - 1)))
  const most = Math.max(1, ...values.map(([, value]) => Math.abs(value)))
  return (
    <section aria-label="Sentiment">
      <h2 className="inspector-heading">Sentiment</h2>
      <ChartFrame
        label="Sentiment"
        places={places}
        say={(number) => `#${(values[number]?.[0] ?? 0) + 1} · ${(values[number]?.[1] ?? 0).toFixed(2)}`}
        onGo={(number) => values[number] && void goToRow(open, values[number][0])}
        ticks={[-1, 0, 1].map((mark) => ({ at: (mark + 1) / 2, text: String(mark * Number(most.toFixed(2))) }))}
      >
        {(plane) => {
          const x = linear([0, 1], [plane.left, plane.right])
          const y = linear([-most, most], [plane.bottom, plane.top])
          return (
            <path
              className="inspector-chart-line-accent"
              d={line(values.map(([, value], number) => ({ x: x(places[number] ?? 0), y: y(value) })))}
            />
          )
        }}
      </ChartFrame>
    </section>
  )
}
