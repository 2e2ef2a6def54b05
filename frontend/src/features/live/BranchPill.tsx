// "1 new message on another branch": new messages on the current branch while another one is shown, with a link.

import { useEffect } from 'react'
import { aim } from '../../data/conversation/aim'
import { useConversation, useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import { count } from '../../lib/saying'
import { Button } from '../../ui/Button'
import './live.css'

export function BranchPill() {
  const open = useOpen()
  const { leaf, conversation } = useConversation()
  const elsewhere = useLocal((local) => local.elsewhere)
  const isThere = leaf === conversation?.leaf
  useEffect(() => {
    if (isThere) open.set({ elsewhere: null })
  }, [open, isThere])
  const shown = elsewhere !== null && !isThere
  const go = () => {
    open.showLeaf(open.data?.leaf ?? null, null)
    aim(open, { kind: 'end' })
  }
  return (
    <div className="live-branch-place" role="status">
      {shown && (
        <div className="live-branch">
          {elsewhere.messages > 0
            ? `${count(elsewhere.messages, 'new message')} on another branch`
            : 'Another branch is the current one now'}
          <Button small kind="primary" onClick={go}>
            Show
          </Button>
          <Button small kind="quiet" icon="close" label="Dismiss" onClick={() => open.set({ elsewhere: null })} />
        </div>
      )}
    </div>
  )
}
