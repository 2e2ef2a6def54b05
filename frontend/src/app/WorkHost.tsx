import { useKeys } from '../ui/keys/use'
import { useConversation, useOpen } from '../data/conversation/ConversationProvider'
import { openForget, openNameBranch, openSave, openSaveAs } from '../features/editing/dialogs'
import { openShare } from '../features/share/openShare'
import { redo, undo } from '../features/editing/edit'
import { PickBanner } from '../features/editing/PickBanner'
import { whyNotRedo, whyNotSave, whyNotUndo } from '../features/editing/refusals'
import type { OpenConversation } from '../data/conversation/OpenConversation'
import { useReadOnly } from '../data/readOnly'
import { toast } from '../ui/Toast'
import { useBarState } from './useBarState'

/** Global parts for editing: its keys, and the banner while a message is being chosen. */
export default function WorkHost(): React.JSX.Element {
  const { conversation } = useConversation()
  return (
    <>
      {conversation && <WorkKeys />}
      <PickBanner />
    </>
  )
}

function WorkKeys(): null {
  const open = useOpen()
  const state = useBarState()
  const readOnly = useReadOnly()
  const group = 'Editing'
  // Also if no undone edit is known: one may be made a moment later.
  const { conversation } = useConversation()
  const edits = !readOnly && (conversation?.can.edit ?? false)
  useKeys([
    {
      keys: ['u', 'Mod+Z'],
      text: 'Undo',
      group,
      when: edits,
      notInFields: true,
      refuse: () => whyNotUndo(open),
      run: () => void undo(open),
    },
    {
      keys: 'Mod+Shift+Z',
      text: 'Redo',
      group,
      when: edits,
      notInFields: true,
      refuse: () => whyNotRedo(open),
      run: () => void redo(open),
    },
    {
      keys: 's',
      text: 'Save to its own file',
      group,
      when: state.save,
      refuse: () => whyNotSave(open),
      run: () => saveSoon(open),
    },
    { text: 'Save as another format', group, run: () => openSaveAs(open) },
    { keys: 'e', text: 'Share or export', group, run: () => openShare(open) },
    { text: 'Name this branch', group, run: () => openNameBranch(open) },
    { text: 'Forget this conversation…', group, when: !readOnly, run: () => openForget(open) },
  ])
  return null
}

/** Asks how to save, once pending edits are made. */
function saveSoon(open: OpenConversation): void {
  if (!open.isChanging) return openSave(open)
  void open.settled().then(() => {
    const reason = whyNotSave(open)
    if (open.left) return
    if (reason) toast(reason, 'plain', { conversation: open.cid })
    else openSave(open)
  })
}
