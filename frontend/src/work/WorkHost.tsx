import { Suspense, lazy } from 'react'
import { get, path } from '../api/client'
import type { Row } from '../api/types'
import { useKeys } from '../keys/use'
import { getCurrent, useCurrent } from '../shell/current'
import { closeDialog, openDialog, useDialog, type WorkDialog } from './dialogs'
import { redo, tellProblem, undo } from './edit'
import type { ActionKey } from './messageActions'
import { PickBanner } from './PickBanner'
import { useReadOnly } from './readOnly'
import { useBarState } from './useBarState'
import { actOn } from './useMessageActions'

const ShareDialog = lazy(() => import('../share/ShareDialog'))
const SaveDialog = lazy(() => import('./SaveDialog'))
const SaveAsDialog = lazy(() => import('./SaveAsDialog'))
const NameBranchDialog = lazy(() => import('./NameBranchDialog'))
const RetypeDialog = lazy(() => import('./RetypeDialog'))
const PlanDialog = lazy(() => import('../session/PlanDialog'))
const FixDialog = lazy(() => import('../inspector/FixDialog'))

/** What the work needs once in the page: its dialogs, its keys, and the banner while a message is chosen. */
export default function WorkHost(): React.JSX.Element {
  const dialog = useDialog()
  const { conversation } = useCurrent()
  return (
    <>
      {conversation && <WorkKeys />}
      <PickBanner />
      {dialog && conversation && (
        <Suspense fallback={null}>
          <Shown dialog={dialog} />
        </Suspense>
      )}
    </>
  )
}

function Shown({ dialog }: { dialog: WorkDialog }): React.JSX.Element {
  switch (dialog.kind) {
    case 'share':
      return <ShareDialog ids={dialog.ids} leaf={dialog.leaf} onClose={closeDialog} />
    case 'save':
      return <SaveDialog onClose={closeDialog} />
    case 'save-as':
      return <SaveAsDialog onClose={closeDialog} />
    case 'name-branch':
      return <NameBranchDialog leaf={dialog.leaf} onClose={closeDialog} />
    case 'retype':
      return <RetypeDialog row={dialog.row} onClose={closeDialog} />
    case 'travel':
      return <PlanDialog travel={dialog.travel} onClose={closeDialog} />
    case 'fix':
      return <FixDialog codes={dialog.codes} onClose={closeDialog} />
  }
}

/** The selected message is asked for when a key needs it, not with every step through the list. */
async function onSelected(keys: readonly ActionKey[], readOnly: boolean): Promise<void> {
  const { cid, selected, leaf } = getCurrent()
  const id = selected ?? leaf
  if (!cid || !id) return
  try {
    actOn(keys, await get<Row>(path`/c/${cid}/messages/${id}`), readOnly)
  } catch (problem) {
    tellProblem(problem)
  }
}

function WorkKeys(): null {
  const state = useBarState()
  const readOnly = useReadOnly()
  const act = (...keys: ActionKey[]) => () => void onSelected(keys, readOnly)
  const group = 'Editing'
  // Not only where something is known to be undone: right after an edit that comes a moment later, and
  // the browser would take the key to load the page anew.
  const edits = !readOnly && (useCurrent().conversation?.can.edit ?? false)
  useKeys([
    { keys: 'u', text: 'Undo', group, when: edits, run: () => void undo() },
    { keys: 'Ctrl+R', text: 'Redo', group, when: edits, run: () => void redo() },
    { keys: 's', text: 'Save to its own file', group, when: state.save, run: () => openDialog({ kind: 'save' }) },
    { text: 'Save as another format', group, run: () => openDialog({ kind: 'save-as' }) },
    { keys: 'e', text: 'Share or export', group, run: () => openDialog({ kind: 'share' }) },
    { keys: 'r', text: 'Reply', group, run: act('reply') },
    { keys: 'c', text: 'Edit as a new branch', group, run: act('revise') },
    { keys: 'x', text: 'Soft-delete or restore', group, run: act('delete', 'restore') },
    { text: 'Edit in place', group, run: act('replace') },
    { text: 'Name this branch', group, run: () => openDialog({ kind: 'name-branch' }) },
  ])
  return null
}
