import { useState } from 'react'
import type { Row } from '../api/types'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { useCurrent } from '../shell/current'
import { edit } from './edit'

/** Choose another role for a message. */
export default function RetypeDialog({ row, onClose }: { row: Row; onClose: () => void }): React.JSX.Element {
  const roles = useCurrent().conversation?.can.roles ?? []
  const [role, setRole] = useState(row.role)
  const change = (): void => {
    onClose()
    if (role !== row.role) void edit({ do: 'retype', about: row.id, role })
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
    <Dialog title="Change type" onClose={onClose} footer={footer}>
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
    </Dialog>
  )
}
