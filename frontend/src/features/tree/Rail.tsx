// The columns of one line: passing lines, forks, and the node itself.

import { memo } from 'react'
import type { Placed, Stroke } from './lanes'

/** The height of a line. */
export const LINE = 30
/** Maximum width of all columns; they are narrower if there are many. */
const ROOM = 112
const WIDEST = 14

function laneOf(lanes: number): number {
  return Math.max(5, Math.min(WIDEST, ROOM / Math.max(1, lanes)))
}

interface Props {
  place: Placed
  lanes: number
  /** A segment, or one message inside its run. */
  inside?: boolean
  /** Whether the line continues below: lines inside a run always do, except the last. */
  below?: Stroke | null
  hollow?: boolean
  here?: boolean
  role?: string
}

/** The width of this line's columns: the text begins directly after them. */
function widthOf(place: Placed, lane: number): number {
  const last = place.passing.reduce((most, line) => Math.max(most, line.lane), place.lane)
  return (last + 1) * lane + 8
}

export const Rail = memo(function Rail({ place, lanes, inside, below, hollow, here, role }: Props) {
  const middle = LINE / 2
  const lane = laneOf(lanes)
  const x = (number: number) => number * lane + lane / 2 + 4
  const own = x(place.lane)
  const down = below === undefined ? place.below : below
  return (
    <svg className="tree-rail" width={widthOf(place, lane)} height={LINE} aria-hidden="true" focusable="false">
      {place.passing.map((line) => (
        <path key={line.lane} className={`tree-stroke tree-is-${line.stroke}`} d={`M${x(line.lane)} 0V${LINE}`} />
      ))}
      {(place.above || inside) && <path className={`tree-stroke tree-is-${place.stroke}`} d={`M${own} 0V${middle}`} />}
      {place.from !== null && !inside && (
        <path
          className={`tree-stroke tree-is-${place.stroke}`}
          d={`M${x(place.from)} 0C${x(place.from)} ${middle} ${x(place.from)} ${middle} ${own} ${middle}`}
        />
      )}
      {down && <path className={`tree-stroke tree-is-${down}`} d={`M${own} ${middle}V${LINE}`} />}
      <circle
        className={`tree-node tree-is-${place.stroke}${hollow ? ' tree-hollow' : ''}${here ? ' tree-here' : ''}${role ? ` tree-role-${role}` : ''}`}
        cx={own}
        cy={middle}
        r={inside ? 3 : 4}
      />
    </svg>
  )
})
