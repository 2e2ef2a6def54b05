/** The actions of a message, and when they are available. */

import type { AllowedActions, Row } from '../../data/api/types'
import type { IconName } from '../../ui/Icon'

export type ActionKey =
  | 'reply'
  | 'revise'
  | 'replace'
  | 'attach'
  | 'clone'
  | 'clone-below'
  | 'move'
  | 'swap'
  | 'pop-up'
  | 'retype'
  | 'delete'
  | 'restore'
  | 'copy-text'
  | 'copy-link'
  | 'name-branch'
  | 'restore-files'
  | 'share'

export interface ActionLine {
  key: ActionKey
  text: string
  icon: IconName
  group: 'write' | 'tree' | 'copy' | 'files'
  shortcut?: string
  danger?: boolean
  enabled: boolean
}

/** What the page knows in addition to the message. */
export interface Situation {
  can: AllowedActions
  readOnly: boolean
}

/** Returns all actions in the order of the menu; useless ones are left out, unavailable ones disabled. */
export function actionLines(row: Row, { can, readOnly }: Situation): ActionLine[] {
  const edit = can.edit && !readOnly
  const spoken = row.kind === 'message'
  const deleted = row.flags.includes('deleted')
  const hidden = !can.delete
  const lines: (ActionLine | false)[] = [
    { key: 'reply', text: 'Reply', icon: 'reply', shortcut: 'r', group: 'write', enabled: edit },
    {
      key: 'revise',
      text: 'Edit as a new branch',
      icon: 'edit',
      shortcut: 'c',
      group: 'write',
      enabled: edit && spoken,
    },
    { key: 'replace', text: 'Edit in place', icon: 'edit', group: 'write', enabled: edit && spoken },
    can.attach && { key: 'attach', text: 'Attach files…', icon: 'attach', group: 'write', enabled: edit },
    { key: 'clone', text: 'Clone', icon: 'clone', group: 'tree', enabled: edit },
    { key: 'clone-below', text: 'Clone with all below', icon: 'clone', group: 'tree', enabled: edit },
    { key: 'move', text: 'Move…', icon: 'move', group: 'tree', enabled: edit },
    { key: 'swap', text: 'Swap with…', icon: 'swap', group: 'tree', enabled: edit },
    { key: 'pop-up', text: 'Pop up one level', icon: 'up', group: 'tree', enabled: edit && row.parent !== null },
    can.roles.length > 1 && { key: 'retype', text: 'Change type…', icon: 'tag', group: 'tree', enabled: edit },
    !hidden &&
      !deleted && {
        key: 'delete',
        text: 'Soft-delete',
        icon: 'trash',
        shortcut: 'x',
        danger: true,
        group: 'tree',
        enabled: edit,
      },
    !hidden &&
      deleted && { key: 'restore', text: 'Restore', icon: 'restore', shortcut: 'x', group: 'tree', enabled: edit },
    { key: 'copy-text', text: 'Copy text', icon: 'copy', group: 'copy', enabled: true },
    { key: 'copy-link', text: 'Copy link', icon: 'link', shortcut: 'y', group: 'copy', enabled: true },
    { key: 'share', text: 'Share this message…', icon: 'share', group: 'copy', enabled: true },
    { key: 'name-branch', text: 'Name this branch…', icon: 'branch', group: 'files', enabled: !readOnly },
    can.session && {
      key: 'restore-files',
      text: 'Restore files to this point…',
      icon: 'files',
      group: 'files',
      enabled: true,
    },
  ]
  return lines.filter((line) => line !== false)
}
