// Confirms moving a message by dragging, and shows what will happen.

import { path } from '../../data/api/client'
import type { Row } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { DialogBody } from '../../ui/overlay/DialogBody'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openOverlay } from '../../ui/overlay/stack'
import { Button } from '../../ui/Button'
import { moveMessage, swapMessages } from './edit'
import { speakerOf } from '../../lib/words'

type Moved = Pick<Row, 'id' | 'role' | 'speaker' | 'text' | 'number' | 'parent'>

/** Asks whether to move a message below another one. */
export function askToMove(open: OpenConversation, about: string, to: string, known: readonly Row[] = []): void {
  if (about === to) return
  const find = (id: string) => known.find((row) => row.id === id)
  openOverlay({
    name: 'move',
    shape: 'dialog',
    title: 'Move this message?',
    conversation: open.cid,
    render: (close) => (
      <MoveDialog open={open} about={about} to={to} rows={{ about: find(about), to: find(to) }} onClose={close} />
    ),
  })
}

interface Props {
  open: OpenConversation
  about: string
  to: string
  /** The rows, if they are loaded. */
  rows: { about: Moved | undefined; to: Moved | undefined }
  onClose: () => void
}

function MoveDialog({ open, about, to, rows, onClose }: Props) {
  const moved = useRow(open.cid, about, rows.about)
  const below = useRow(open.cid, to, rows.to)
  const already = moved?.parent === to
  const run = (deed: (open: OpenConversation, a: string, b: string) => unknown) => {
    onClose()
    void deed(open, about, to)
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button icon="swap" disabled={!moved} onClick={() => run(swapMessages)}>
        Swap the two
      </Button>
      <Button kind="primary" icon="move" disabled={!moved || already} onClick={() => run(moveMessage)}>
        Move
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      <div className="conv-moving">
        <Quoted title="This message, with all that follows it on its branches" row={moved} />
        <p className="conv-moving-arrow">
          {already ? 'hangs below this message already:' : 'will hang below this message, as a branch if others do:'}
        </p>
        <Quoted title="" row={below} />
        <p className="conv-faint">Nothing is written to the file until you save, and it can be undone.</p>
      </div>
    </DialogBody>
  )
}

function useRow(cid: string, id: string, known: Moved | undefined): Moved | undefined {
  const got = useGet<Row>(known ? null : path`/c/${cid}/messages/${id}`)
  return known ?? got.data
}

function Quoted({ title, row }: { title: string; row: Moved | undefined }) {
  const text = row ? row.text.trim().slice(0, 240) || `Message ${row.number + 1}` : '…'
  return (
    <figure className="conv-quoted">
      {title && <figcaption>{title}</figcaption>}
      <blockquote dir="auto">
        <b>{row ? speakerOf(row) : ''}</b> {text}
      </blockquote>
    </figure>
  )
}
