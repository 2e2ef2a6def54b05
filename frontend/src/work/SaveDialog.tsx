import { useState } from 'react'
import { asApiError, path, post } from '../api/client'
import type { Fault, History, Saved } from '../api/types'
import { useGet } from '../api/use'
import { many } from '../inspector/amounts'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { Icon } from '../shell/Icon'
import { getCurrent, reload, useCurrent } from '../shell/current'
import { openDialog } from './dialogs'
import { FaultBox } from './FaultBox'

/** Write the edits to the file itself, after saying what that is. */
export default function SaveDialog({ onClose }: { onClose: () => void }): React.JSX.Element | null {
  const { cid, conversation } = useCurrent()
  const { data: history } = useGet<History>(cid && path`/c/${cid}/edits`)
  const [fault, setFault] = useState<Fault | null>(null)
  const [saved, setSaved] = useState<Saved | null>(null)
  const [busy, setBusy] = useState(false)
  if (!cid || !conversation) return null
  const edits = (history?.edits ?? []).filter((edit) => edit.state === 'done')

  const save = async (): Promise<void> => {
    setBusy(true)
    setFault(null)
    try {
      setSaved(await post<Saved>(path`/c/${cid}/save`, { stamp: getCurrent().stamp }))
      await reload()
    } catch (problem) {
      setFault(asApiError(problem).fault)
      if (asApiError(problem).fault.stamp) await reload()
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
      {fault && <Button onClick={() => openDialog({ kind: 'save-as' })}>Save as another format…</Button>}
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={busy || !history} onClick={() => void save()}>
        {fault ? 'Try again' : 'Save'}
      </Button>
    </>
  )
  return (
    <Dialog title="Save" onClose={onClose} footer={footer}>
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
            {edits.length > 0 ? many(edits.length, 'edit') : 'What was undone is'} to be written to <code className="work-path">{conversation.path}</code>
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
    </Dialog>
  )
}
