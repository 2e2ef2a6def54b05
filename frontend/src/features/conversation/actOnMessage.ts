/** The actions of a message, for menus and keys. */

import type { Row } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { attach, chooseFiles } from '../editing/attach'
import { copyLink, copyText } from '../editing/copy'
import { openNameBranch, openRetype } from '../editing/dialogs'
import { openShare } from '../share/openShare'
import { openPlan } from '../inspector/restore/openPlan'
import { edit } from '../editing/edit'
import { actionLines, type ActionKey, type ActionLine } from './messageActions'
import { startMoving } from '../editing/moveMode'
import { isReadOnly } from '../../data/readOnly'
import { startWriting } from '../editing/composing'
import { whyNotEdit } from '../editing/refusals'
import { toast } from '../../ui/Toast'

export interface MessageAction extends ActionLine {
  run: () => void
}

/** Runs an action by its name. */
export function act(open: OpenConversation, key: ActionKey, row: Row): void {
  const about = row.id
  const deeds: Record<ActionKey, () => unknown> = {
    reply: () => startWriting(open, 'reply', row),
    revise: () => startWriting(open, 'revise', row),
    replace: () => startWriting(open, 'replace', row),
    attach: () => chooseFiles().then((files) => attach(open, about, files)),
    clone: () => edit(open, { do: 'clone', about, below: false }),
    'clone-below': () => edit(open, { do: 'clone', about, below: true }),
    move: () => startMoving(open, 'move', about),
    swap: () => startMoving(open, 'swap', about),
    'pop-up': () => edit(open, { do: 'pop_up', about }),
    retype: () => openRetype(open, row),
    delete: () => edit(open, { do: 'delete', about }),
    restore: () => edit(open, { do: 'undelete', about }),
    'copy-text': () => copyText(open, row),
    'copy-link': () => copyLink(open, about),
    'name-branch': () => openNameBranch(open),
    'restore-files': () => openPlan(open, 'restore', about),
    share: () => openShare(open, { ids: [about] }),
  }
  void deeds[key]()
}

/** Returns all actions of a row, each with whether it is available now. */
export function messageActions(open: OpenConversation, row: Row): MessageAction[] {
  const can = open.data?.can
  if (!can) return []
  return actionLines(row, { can, readOnly: isReadOnly() }).map((line) => ({
    ...line,
    run: () => act(open, line.key, row),
  }))
}

/** Runs an action on the selected message, or says why it is not available; for keys. */
export function actOn(open: OpenConversation, keys: readonly ActionKey[], row: Row): void {
  const can = open.data?.can
  const line = can && actionLines(row, { can, readOnly: isReadOnly() }).find((one) => keys.includes(one.key))
  if (line?.enabled) return act(open, line.key, row)
  const reason =
    whyNotEdit(open) ?? (line ? 'Only messages can be edited.' : 'This format cannot mark messages as deleted.')
  toast(reason, 'plain', { conversation: open.cid })
}
