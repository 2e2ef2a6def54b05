// The dialogs to save or forget a conversation, name a branch, change the role of a message, and confirm a suspicious
// file.

import type { Row } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { lazyPart } from '../../ui/overlay/lazyPart'
import { openConversationDialog } from '../common/openConversationDialog'
import { ConfirmAttachmentDialog } from './ConfirmAttachmentDialog'
import { ForgetDialog } from './ForgetDialog'
import { NameBranchDialog } from './NameBranchDialog'
import { RetypeDialog } from './RetypeDialog'
import { SaveDialog } from './SaveDialog'

const SaveAsDialog = lazyPart(() => import('./SaveAsDialog'))

export function openSave(open: OpenConversation): void {
  openConversationDialog(open, {
    title: 'Save',
    render: (close) => <SaveDialog onClose={close} onSaveAs={() => openSaveAs(open)} />,
  })
}

export function openSaveAs(open: OpenConversation): void {
  openConversationDialog(open, {
    title: 'Save as another format',
    wide: true,
    render: (close) => <SaveAsDialog onClose={close} />,
  })
}

/** Names a branch, by default the one that is shown. */
export function openNameBranch(open: OpenConversation, leaf?: string): void {
  openConversationDialog(open, {
    title: 'Name this branch',
    render: (close) => <NameBranchDialog leaf={leaf} onClose={close} />,
  })
}

/** Asks before the library forgets the conversation. */
export function openForget(open: OpenConversation): void {
  openConversationDialog(open, {
    title: 'Forget this conversation?',
    render: (close) => <ForgetDialog onClose={close} />,
  })
}

export function openRetype(open: OpenConversation, row: Row): void {
  openConversationDialog(open, {
    title: 'Change type',
    render: (close) => <RetypeDialog row={row} onClose={close} />,
  })
}

/** Asks whether to attach a suspicious file; closing the dialog means no. */
export function confirmAttachment(open: OpenConversation, name: string, warnings: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    openConversationDialog(open, {
      title: 'Attach this file?',
      onClose: () => resolve(false),
      render: (close) => (
        <ConfirmAttachmentDialog
          name={name}
          warnings={warnings}
          onCancel={close}
          onAttach={() => {
            resolve(true)
            close()
          }}
        />
      ),
    })
  })
}
