import { useState } from 'react'
import { path } from '../../data/api/client'
import type { HistoryState, SaveResult } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { many } from '../../lib/amounts'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { save } from './edit'
import { useFault } from './useFault'
import { FaultBox } from '../common/FaultBox'

interface Props {
  onClose: () => void
  onSaveAs: () => void
}

/** Writes the edits to the file itself, after confirmation. */
export function SaveDialog({ onClose, onSaveAs }: Props): React.JSX.Element | null {
  const open = useOpen()
  const { cid, conversation } = useConversation()
  const { data: history } = useGet<HistoryState>(cid && path`/c/${cid}/edits`)
  const { fault, fail, clear } = useFault()
  const [saved, setSaved] = useState<SaveResult | null>(null)
  const [busy, setBusy] = useState(false)
  if (!cid || !conversation) return null
  const edits = (history?.edits ?? []).filter((edit) => edit.state === 'done')

  const write = async (): Promise<void> => {
    setBusy(true)
    clear()
    try {
      setSaved(await save(open))
    } catch (problem) {
      fail(problem)
    } finally {
      setBusy(false)
    }
  }

  const footer = saved ? (
    <Button kind="primary" onClick={onClose}>
      Close
    </Button>
  ) : (
    <>
      {fault && <Button onClick={onSaveAs}>Save as another format…</Button>}
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={busy || !history} onClick={() => void write()}>
        {fault ? 'Try again' : 'Save'}
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      {saved ? (
        <div role="status">
          <p className="work-good">
            <Icon name="check" /> Saved. The file reads back as it is shown here.
          </p>
          <ul className="work-paths">
            {saved.written.map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        </div>
      ) : (
        <>
          <p>
            {edits.length > 0 ? many(edits.length, 'edit') : 'What was undone is'} to be written to{' '}
            <code className="work-path">{conversation.path}</code>
          </p>
          <p className="work-soft">
            What is written is read back before the old file is replaced. If anything would be lost, nothing is written.
          </p>
          <ol className="work-edits">
            {edits.slice(-8).map((edit) => (
              <li key={edit.id}>{edit.what}</li>
            ))}
          </ol>
          {fault && <FaultBox fault={fault} />}
        </>
      )}
    </DialogBody>
  )
}
