/** The actions of a message, ready to be shown in a menu and to be run. */

import { useMemo } from 'react'
import type { Row } from '../api/types'
import { getCurrent, useCurrent } from '../shell/current'
import { attach, chooseFiles } from './attach'
import { copyLink, copyText } from './copy'
import { openDialog } from './dialogs'
import { edit } from './edit'
import { actionLines, type ActionKey, type ActionLine } from './messageActions'
import { startPicking } from './picking'
import { useReadOnly } from './readOnly'
import { startWriting } from './writing'

export interface MessageAction extends ActionLine {
  run: () => void
}

/** Run one by its name. */
export function act(key: ActionKey, row: Row): void {
  const about = row.id
  const deeds: Record<ActionKey, () => unknown> = {
    reply: () => startWriting('reply', row),
    revise: () => startWriting('revise', row),
    replace: () => startWriting('replace', row),
    attach: () => chooseFiles().then((files) => attach(about, files)),
    clone: () => edit({ do: 'clone', about, below: false }),
    'clone-below': () => edit({ do: 'clone', about, below: true }),
    move: () => startPicking('move', about),
    swap: () => startPicking('swap', about),
    'pop-up': () => edit({ do: 'pop_up', about }),
    retype: () => openDialog({ kind: 'retype', row }),
    delete: () => edit({ do: 'delete', about }),
    restore: () => edit({ do: 'undelete', about }),
    'copy-text': () => copyText(row),
    'copy-link': () => copyLink(about),
    'name-branch': () => openDialog({ kind: 'name-branch' }),
    'restore-files': () =>
      openDialog({ kind: 'travel', travel: { verb: 'restore', to: about, what: 'both', choices: {} } }),
    share: () => openDialog({ kind: 'share', ids: [about] }),
  }
  void deeds[key]()
}

/** All actions for a row, each with whether it can be done now. */
export function useMessageActions(row: Row | null): MessageAction[] {
  const { conversation } = useCurrent()
  const readOnly = useReadOnly()
  const can = conversation?.can
  return useMemo(() => {
    if (!row || !can) return []
    return actionLines(row, { can, readOnly }).map((line) => ({ ...line, run: () => act(line.key, row) }))
  }, [row, can, readOnly])
}

/** Run an action on the selected message if it may be done; for keys. */
export function actOn(keys: readonly ActionKey[], row: Row, readOnly: boolean): void {
  const can = getCurrent().conversation?.can
  if (!can) return
  const line = actionLines(row, { can, readOnly }).find((one) => keys.includes(one.key))
  if (line?.enabled) act(line.key, row)
}
