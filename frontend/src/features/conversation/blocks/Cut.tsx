// A note that content is left out, with a link to it.

import type { MessageBlock } from '../../../data/api/types'
import { useOpen } from '../../../data/conversation/ConversationProvider'
import { showWhole, useWholeAnswer } from '../whole'
import { short } from '../../../lib/words'

export function Cut({ block, cid, id }: { block: MessageBlock; cid: string; id: string }) {
  const open = useOpen()
  const { loading, error, again } = useWholeAnswer(cid, id)
  if (!block.cut) return null
  const show = () => (error ? again() : showWhole(open, id))
  return (
    <button type="button" className="conv-cut" disabled={loading} onClick={show}>
      {loading ? 'Loading…' : error ? `${error.message} Try again` : `Show all (${short(block.cut)} more characters)`}
    </button>
  )
}
