// The pieces of a message.

import { memo } from 'react'
import type { MessageBlock, Row } from '../../../data/api/types'
import ArtifactFrame from '../../artifact/ArtifactFrame'
import { SafeHtml } from '../../common/SafeHtml'
import { foldKey } from '../../../data/conversation/folds'
import { pieces } from '../grouping'
import { CallGroup } from './CallGroup'
import { Cut } from './Cut'
import { FileBlock } from './FileBlock'
import { Fold } from './Fold'
import { ImageBlock } from './ImageBlock'
import { Thinking } from './Thinking'

interface Props {
  row: Row
  cid: string
}

export const Blocks = memo(function Blocks({ row, cid }: Props) {
  return (
    <div className="conv-body">
      {pieces(row.blocks).map((piece) =>
        piece.kind === 'calls' ? (
          <CallGroup key={piece.at} blocks={piece.blocks} at={piece.at} cid={cid} id={row.id} sides={row.sides} />
        ) : (
          <One key={piece.at} block={piece.block} at={piece.at} cid={cid} id={row.id} />
        ),
      )}
    </div>
  )
})

interface OneProps {
  block: MessageBlock
  at: number
  cid: string
  id: string
}

function One({ block, at, cid, id }: OneProps) {
  const fold = foldKey(id, at)
  switch (block.kind) {
    case 'text':
      return (
        <div className="conv-text">
          <SafeHtml className="tt-content" html={block.html} />
          <Cut block={block} cid={cid} id={id} />
        </div>
      )
    case 'thinking':
      return <Thinking block={block} fold={foldKey(id, `thinking${at}`)} cid={cid} id={id} />
    case 'image':
      return <ImageBlock block={block} cid={cid} id={id} />
    case 'file':
      return <FileBlock block={block} cid={cid} id={id} />
    case 'artifact':
      return <ArtifactFrame cid={cid} id={id} block={block} />
    case 'chip':
      return (
        <div className="conv-event">
          <span className="conv-event-title">{block.title}</span>
          {block.detail && <span className="conv-faint">{block.detail}</span>}
        </div>
      )
    case 'divider':
      return (
        <div className="conv-divider-line conv-divider-inside">
          <span className="conv-divider-title">
            {block.title} {block.detail && <span className="conv-faint">{block.detail}</span>}
          </span>
        </div>
      )
    case 'todos':
      return (
        <div className="conv-todos">
          {block.title && <div className="conv-todos-title">{block.title}</div>}
          <SafeHtml className="tt-content" html={block.html} />
        </div>
      )
    default:
      return <Fold block={block} fold={fold} cid={cid} id={id} />
  }
}
