// Tool calls: a single one is a line, several parallel ones are a group of lines.

import type { MessageBlock, SidechainLink } from '../../../data/api/types'
import { Icon } from '../../../ui/Icon'
import { useOpen } from '../../../data/conversation/ConversationProvider'
import { foldKey } from '../../../data/conversation/folds'
import { useFold } from '../useFold'
import { groupTitle } from '../grouping'
import { enter } from '../trail'
import { many } from '../../../lib/words'
import { Fold } from './Fold'

interface Props {
  blocks: MessageBlock[]
  at: number
  cid: string
  id: string
  /** The sub-agents that were started with these calls. */
  sides: readonly SidechainLink[]
}

/** More calls than this are folded into one line first. */
const SHOWN = 6

export function CallGroup({ blocks, at, cid, id, sides }: Props) {
  const [open, toggle] = useFold(foldKey(id, `group${at}`), blocks.length <= SHOWN)
  const calls = blocks.map((block, number) => (
    <Call
      key={number}
      block={block}
      fold={foldKey(id, at + number)}
      cid={cid}
      id={id}
      side={sides.find((side) => side.leaf === block.leaf)}
    />
  ))
  if (blocks.length === 1) return calls[0]
  return (
    <div className="conv-group" role="group" aria-label={groupTitle(blocks)}>
      <button type="button" className="conv-group-title" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? 'collapse' : 'expand'} size={12} />
        {groupTitle(blocks)}
        <span className="conv-group-marks" aria-hidden="true">
          {blocks.slice(0, 40).map((block, number) => (
            <i key={number} className={`conv-dot conv-dot-${block.outcome || 'none'}`} />
          ))}
        </span>
      </button>
      {open && <div className="conv-group-calls">{calls}</div>}
    </div>
  )
}

interface CallProps {
  block: MessageBlock
  fold: string
  cid: string
  id: string
  side: SidechainLink | undefined
}

function Call({ block, fold, cid, id, side }: CallProps) {
  const open = useOpen()
  const line = <Fold block={block} fold={fold} cid={cid} id={id} icon={iconOf(block.name)} />
  if (!block.leaf) return line
  const label = side?.label || block.title || 'Sub-agent'
  return (
    <div className="conv-call-side">
      {line}
      <button
        type="button"
        className="conv-side"
        onClick={() => enter(open, block.leaf, label, id, side?.messages ?? Infinity)}
      >
        <Icon name="side" size={14} /> <span className="conv-side-label">{label}</span>
        {side && <span className="conv-faint">{many(side.messages, 'message')}</span>}
      </button>
    </div>
  )
}

function iconOf(name: string) {
  if (/bash|shell|terminal|exec|command/i.test(name)) return 'terminal' as const
  if (/edit|write|patch|replace/i.test(name)) return 'edit' as const
  if (/read|view|file|notebook/i.test(name)) return 'file' as const
  if (/grep|glob|search|find|ls$/i.test(name)) return 'find' as const
  if (/fetch|web|http|url/i.test(name)) return 'external' as const
  if (/todo|task(create|update|list)/i.test(name)) return 'todos' as const
  if (/task|agent/i.test(name)) return 'side' as const
  return 'tool' as const
}
