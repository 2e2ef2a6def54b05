import { useState } from 'react'
import { path, post } from '../api/client'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { reload, useCurrent } from '../shell/current'
import { toast } from '../shell/Toast'
import { tellProblem } from './edit'

interface Props {
  leaf?: string | undefined
  onClose: () => void
}

/** Give a branch a name, or take it away. */
export default function NameBranchDialog({ leaf, onClose }: Props): React.JSX.Element | null {
  const { cid, leaf: shown, conversation } = useCurrent()
  const about = leaf ?? shown
  const branch = conversation?.branches.find((one) => one.leaf === about)
  const [name, setName] = useState(branch?.name ?? '')
  if (!cid || !about) return null

  const keep = async (): Promise<void> => {
    try {
      await post(path`/c/${cid}/branch-names`, { leaf: about, name: name.trim() })
      toast(name.trim() ? `Branch named “${name.trim()}”` : 'Name taken away', 'good')
      onClose()
      await reload()
    } catch (problem) {
      tellProblem(problem)
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
    <Dialog title="Name this branch" onClose={onClose} footer={footer}>
      <form className="work-form" onSubmit={(event) => (event.preventDefault(), void keep())}>
        <label className="work-field">
          <span>Name</span>
          <input data-autofocus value={name} maxLength={80} onChange={(event) => setName(event.target.value)} />
        </label>
        <p className="work-soft">The name is kept in the library, not in the file. Empty takes it away.</p>
        {branch?.label && <p className="work-quote">{branch.label}</p>}
      </form>
    </Dialog>
  )
}
