import { useState } from 'react'
import { path, post } from '../../data/api/client'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { toast } from '../../ui/Toast'
import { reportProblem } from './edit'

interface Props {
  leaf?: string | undefined
  onClose: () => void
}

/** Names a branch, or removes its name. */
export function NameBranchDialog({ leaf, onClose }: Props): React.JSX.Element | null {
  const open = useOpen()
  const { cid, leaf: shown, conversation } = useConversation()
  const about = leaf ?? shown
  const branch = conversation?.branches.find((one) => one.leaf === about)
  const [name, setName] = useState(branch?.name ?? '')
  if (!cid || !about) return null

  const keep = async (): Promise<void> => {
    try {
      await post(path`/c/${cid}/branch-names`, { leaf: about, name: name.trim() })
      if (!open.left)
        toast(name.trim() ? `Branch named “${name.trim()}”` : 'Name taken away', 'good', { conversation: open.cid })
      onClose()
      open.refresh()
    } catch (problem) {
      reportProblem(open, problem)
    }
  }

  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" onClick={() => void keep()}>
        Keep name
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      <form className="work-form" onSubmit={(event) => (event.preventDefault(), void keep())}>
        <label className="work-field">
          <span>Name</span>
          <input
            data-autofocus
            dir="auto"
            value={name}
            maxLength={80}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <p className="work-soft">The name is kept in the library, not in the file. Empty takes it away.</p>
        {branch?.label && (
          <p className="work-quote" dir="auto">
            {branch.label}
          </p>
        )}
      </form>
    </DialogBody>
  )
}
