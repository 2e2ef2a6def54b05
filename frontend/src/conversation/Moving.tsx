// Before a message is moved by dragging: what will happen.

import type { Row } from '../api/types'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { moveMessage, swapMessages } from '../work/edit'
import { roleWord } from './words'

interface Props {
  about: Pick<Row, 'id' | 'role' | 'text' | 'number' | 'parent'>
  to: Pick<Row, 'id' | 'role' | 'text' | 'number' | 'parent'>
  onClose: () => void
}

export function Moving({ about, to, onClose }: Props) {
  const already = about.parent === to.id
  const run = (deed: (a: string, b: string) => unknown) => {
    onClose()
    void deed(about.id, to.id)
  }
  return (
    <Dialog
      title="Move this message?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button icon="swap" onClick={() => run(swapMessages)}>
            Swap the two
          </Button>
          <Button kind="primary" icon="move" disabled={already} data-autofocus="" onClick={() => run(moveMessage)}>
            Move
          </Button>
        </>
      }
    >
      <div className="conv-moving">
        <Quoted title="This message, with all that follows it on its branches" row={about} />
        <p className="conv-moving-arrow">{already ? 'hangs below this message already:' : 'will hang below this message, as a branch if others do:'}</p>
        <Quoted title="" row={to} />
        <p className="conv-faint">Nothing is written to the file until you save, and it can be undone.</p>
      </div>
    </Dialog>
  )
}

function Quoted({ title, row }: { title: string; row: Props['about'] }) {
  const text = row.text.trim().slice(0, 240) || `Message ${row.number + 1}`
  return (
    <figure className="conv-quoted">
      {title && <figcaption>{title}</figcaption>}
      <blockquote>
        <b>{roleWord(row.role)}</b> {text}
      </blockquote>
    </figure>
  )
}
