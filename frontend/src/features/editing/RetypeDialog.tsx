import { useState } from 'react'
import type { Row } from '../../data/api/types'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { edit } from './edit'

/** Changes the role of a message. */
export function RetypeDialog({ row, onClose }: { row: Row; onClose: () => void }): React.JSX.Element {
  const open = useOpen()
  const roles = useConversation().conversation?.can.roles ?? []
  const [role, setRole] = useState(row.role)
  const change = (): void => {
    onClose()
    if (role !== row.role) void edit(open, { do: 'retype', about: row.id, role })
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={role === row.role} onClick={change}>
        Change type
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      <fieldset className="work-options">
        <legend className="sr-only">Type of the message</legend>
        {roles.map((one) => (
          <label key={one} className="work-option">
            <input type="radio" name="role" checked={role === one} onChange={() => setRole(one)} />
            <span>{one}</span>
            {one === row.role && <span className="work-soft">now</span>}
          </label>
        ))}
      </fieldset>
    </DialogBody>
  )
}
