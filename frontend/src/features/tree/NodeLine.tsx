// One message of an unfolded run in the graph.

import type { TreeNode } from '../../data/api/types'
import { partOfSpeaker, speakerOf } from '../../lib/words'
import type { Placed } from './lanes'
import { Rail } from './Rail'

interface Props {
  place: Placed
  lanes: number
  top: number
  line: number
  focused: boolean
  node: TreeNode | undefined
  number: number
  count: number
  selected: string | null
}

export function NodeLine({ place, lanes, top, line, focused, node, number, count, selected }: Props) {
  const hollow = node?.flags.some((flag) => flag === 'deleted' || flag === 'aborted')
  const here = node !== undefined && node.id === selected
  const last = number === count - 1
  return (
    <div
      id={`tree-line-${line}`}
      className={`tree-line tree-inside${focused ? ' tree-focused' : ''}${here ? ' tree-selected' : ''}`}
      style={{ top }}
      role="treeitem"
      aria-level={place.level + 1}
      aria-posinset={number + 1}
      aria-setsize={count}
      aria-selected={here}
      aria-label={node ? `${speakerOf(node)}: ${node.label}` : 'Loading'}
      data-line={line}
      data-id={node?.id}
    >
      <Rail
        place={place}
        lanes={lanes}
        inside
        hollow={hollow}
        here={here}
        below={last ? place.below : place.stroke}
        role={node && partOfSpeaker(node)}
      />
      <span className={`tree-role tree-role-text-${node ? partOfSpeaker(node) : 'other'}`}>
        {node ? speakerOf(node) : ''}
      </span>
      <span className={`tree-label${hollow ? ' tree-struck' : ''}`} dir="auto" title={node?.label}>
        {node?.label ?? '…'}
      </span>
    </div>
  )
}
