// The lanes of one line: what passes, what turns off, and the node itself.

import { memo } from 'react'
import { LINE } from './GraphTree'
import type { Placed, Stroke } from './lanes'

export const LANE = 14

interface Props {
  place: Placed
  lanes: number
  /** A segment, or one message inside of its run. */
  inside?: boolean
  /** Whether the line goes on below: lines inside a run always do but the last. */
  below?: Stroke | null
  hollow?: boolean
  here?: boolean
  role?: string
}

export function railWidth(lanes: number): number {
  return Math.min(lanes, 16) * LANE + 8
}

function x(lane: number): number {
  return Math.min(lane, 15) * LANE + LANE / 2 + 4
}

export const Rail = memo(function Rail({ place, lanes, inside, below, hollow, here, role }: Props) {
  const middle = LINE / 2
  const own = x(place.lane)
  const down = below === undefined ? place.below : below
  return (
    <svg className="tree-rail" width={railWidth(lanes)} height={LINE} aria-hidden="true" focusable="false">
      {place.passing.map((line) => (
        <path key={line.lane} className={`tree-stroke tree-is-${line.stroke}`} d={`M${x(line.lane)} 0V${LINE}`} />
      ))}
      {(place.above || inside) && <path className={`tree-stroke tree-is-${place.stroke}`} d={`M${own} 0V${middle}`} />}
      {place.from !== null && !inside && (
        <path className={`tree-stroke tree-is-${place.stroke}`} d={`M${x(place.from)} 0C${x(place.from)} ${middle} ${x(place.from)} ${middle} ${own} ${middle}`} />
      )}
      {down && <path className={`tree-stroke tree-is-${down}`} d={`M${own} ${middle}V${LINE}`} />}
      <circle className={`tree-node tree-is-${place.stroke}${hollow ? ' tree-hollow' : ''}${here ? ' tree-here' : ''}${role ? ` tree-role-${role}` : ''}`} cx={own} cy={middle} r={inside ? 3 : 4} />
    </svg>
  )
})
