import { useState } from 'react'
import { path, post } from '../../data/api/client'
import type { ForgetPreview, ForgetSummary } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { useOpen } from '../../data/conversation/ConversationProvider'
import { many } from '../../lib/amounts'
import { Button } from '../../ui/Button'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { toast } from '../../ui/Toast'
import { FaultBox } from '../common/FaultBox'
import { announceForgotten } from '../live/forgotten'
import { useFault } from './useFault'

/** Erases the conversation from the library, after showing what is erased and what stays. */
export function ForgetDialog({ onClose }: { onClose: () => void }): React.JSX.Element {
  const open = useOpen()
  const { data } = useGet<ForgetPreview>(path`/c/${open.cid}/forget`)
  const { fault, fail, clear } = useFault()
  const [busy, setBusy] = useState(false)

  const forget = async (): Promise<void> => {
    setBusy(true)
    clear()
    try {
      const done = await post<ForgetSummary>(path`/c/${open.cid}/forget`)
      onClose()
      announceForgotten(open)
      if (done.left.length > 0) toast(`Forgotten, but not finished: ${done.left.join(', ')}`, 'plain')
      else toast('Forgotten', 'good')
    } catch (problem) {
      fail(problem)
      setBusy(false)
    }
  }

  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={busy || !data} onClick={() => void forget()}>
        Forget
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      {data && (
        <>
          <p>
            The library erases {data.conversations > 1 ? many(data.conversations, 'conversation') : 'this conversation'}{' '}
            with {many(data.versions, 'version')}, its edits, its names of branches and everything that is found and
            counted of it{data.files.length > 0 ? `, and ${many(data.files.length, 'file')} that belong to it` : ''}.
            This cannot be undone.
          </p>
          <p className="work-quote" dir="auto">
            {data.path}
          </p>
          <p className="work-soft">
            {data.dropped
              ? 'The copy that was dropped here is erased, too. Your own file stays where it is.'
              : data.on_disk
                ? 'The file itself stays where it is. Later imports leave it out.'
                : 'The file itself is gone: this is the only copy.'}
          </p>
        </>
      )}
      {fault && <FaultBox fault={fault} />}
    </DialogBody>
  )
}
