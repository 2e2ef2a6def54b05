// Groups blocks of a message: parallel calls form one group.

import type { MessageBlock } from '../../data/api/types'

/** One block, or several consecutive calls. */
export type Piece =
  | { kind: 'block'; block: MessageBlock; at: number }
  | { kind: 'calls'; blocks: MessageBlock[]; at: number }

/** Returns the blocks in order, with consecutive calls grouped. */
export function pieces(blocks: readonly MessageBlock[]): Piece[] {
  const found: Piece[] = []
  blocks.forEach((block, at) => {
    const last = found.at(-1)
    if (block.kind !== 'call') found.push({ kind: 'block', block, at })
    else if (last?.kind === 'calls') last.blocks.push(block)
    else found.push({ kind: 'calls', blocks: [block], at })
  })
  return found
}

/** Returns the title of a group of calls: "3 tool calls", and how many of them failed. */
export function groupTitle(blocks: readonly MessageBlock[]): string {
  const failed = blocks.filter((block) => block.outcome === 'failed').length
  const names = [...new Set(blocks.map((block) => block.name).filter(Boolean))]
  const which = names.length && names.length <= 3 ? ` · ${names.join(', ')}` : ''
  return `${blocks.length} tool calls${which}${failed ? ` · ${failed} failed` : ''}`
}
