// The keys of the conversation.

import type { Row } from '../../data/api/types'
import { foldKey } from '../../data/conversation/folds'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { openInspector } from '../../ui/panes'
import { useKeys } from '../../ui/keys/use'
import { toast } from '../../ui/Toast'
import { copyLink } from '../editing/copy'
import { NONE_SELECTED } from '../editing/refusals'
import type { ActionKey } from './messageActions'
import { actOn } from './actOnMessage'
import type { Navigator } from './navigate'
import { openRowMenu } from './RowMenu'
import { leave, whyNotLeave } from './trail'
import { changeView, getView, LAYOUTS } from './view'

/** Shows or folds thinking everywhere, whatever was unfolded by hand. */
export function switchThinking(open: OpenConversation): void {
  open.folds.forget((key) => key.includes('\u0000thinking'))
  changeView({ thinking: !getView().thinking })
}

export function useConversationKeys(open: OpenConversation, navigator: Navigator, find: () => void): void {
  const act =
    (...keys: ActionKey[]) =>
    () =>
      withRow(open, navigator, (row) => actOn(open, keys, row))
  useKeys([
    {
      keys: 'j',
      text: 'Next message',
      group: 'Messages',
      quiet: true,
      refuse: () => navigator.whyNoStep(1),
      run: () => navigator.step(1),
    },
    {
      keys: 'k',
      text: 'Previous message',
      group: 'Messages',
      quiet: true,
      refuse: () => navigator.whyNoStep(-1),
      run: () => navigator.step(-1),
    },
    { keys: 'J', text: 'Next prompt', group: 'Messages', run: () => void navigator.prompt(1) },
    { keys: 'K', text: 'Previous prompt', group: 'Messages', run: () => void navigator.prompt(-1) },
    { keys: 'g g', text: 'First message', group: 'Messages', run: () => navigator.first() },
    { keys: 'G', text: 'Last message', group: 'Messages', run: () => navigator.end() },
    {
      keys: 'h',
      text: 'Previous version at this fork',
      group: 'Branches',
      refuse: () => navigator.whyNoSibling(-1),
      run: () => navigator.sibling(navigator.row(), -1),
    },
    {
      keys: 'l',
      text: 'Next version at this fork',
      group: 'Branches',
      refuse: () => navigator.whyNoSibling(1),
      run: () => navigator.sibling(navigator.row(), 1),
    },
    {
      keys: 'b',
      text: 'Back from a sub-agent',
      group: 'Branches',
      refuse: () => whyNotLeave(open),
      run: () => leave(open),
    },
    {
      keys: 'o',
      text: 'Open or fold the tools of a message',
      group: 'Messages',
      refuse: () => whyNoTools(navigator.row()),
      run: () => toggleTools(open, navigator),
    },
    {
      keys: 'm',
      text: 'Actions of a message',
      group: 'Messages',
      run: () => withRow(open, navigator, (row) => openMenu(open, row)),
    },
    {
      keys: 'y',
      text: 'Copy the link of a message',
      group: 'Messages',
      refuse: () => (open.selected === null ? NONE_SELECTED : null),
      run: () => copySelected(open),
    },
    { keys: 'r', text: 'Reply', group: 'Editing', run: act('reply') },
    { keys: 'c', text: 'Edit as a new branch', group: 'Editing', run: act('revise') },
    { keys: 'x', text: 'Soft-delete or restore', group: 'Editing', run: act('delete', 'restore') },
    { text: 'Edit in place', group: 'Editing', run: act('replace') },
    { keys: 'd', text: 'Files and what changed in them', group: 'Inspector', run: () => openInspector('files') },
    { keys: '/', text: 'Find in this conversation', group: 'Conversation', run: find },
    { keys: 't', text: 'Show or fold thinking', group: 'View', run: () => switchThinking(open) },
    { keys: 'f', text: 'Follow what comes', group: 'View', run: () => open.setFollow(!open.local.getState().follow) },
    { keys: 'F', text: 'Filter the rows', group: 'View', run: () => changeView({ filtering: !getView().filtering }) },
    ...LAYOUTS.map((layout) => ({ text: `Layout: ${layout}`, group: 'View', run: () => changeView({ layout }) })),
  ])
}

/** Acts on the selected row as it is on screen: nothing is requested unless it is being loaded. */
function withRow(open: OpenConversation, navigator: Navigator, run: (row: Row) => void): void {
  const target = navigator.target()
  if (!(target instanceof Promise)) return run(target)
  const late = (row: Row | undefined) => {
    if (row && !open.left) run(row)
    else if (!open.left) toast('That message is not here.', 'warning', { conversation: open.cid })
  }
  void target.then(late, () => late(undefined))
}

function whyNoTools(row: Row | undefined): string | null {
  if (!row) return NONE_SELECTED
  return toolsOf(row).length ? null : 'This message has no tools.'
}

function toolsOf(row: Row): { key: string; open: boolean }[] {
  return row.blocks.flatMap((block, at) =>
    block.kind === 'call' || block.kind === 'result' ? [{ key: foldKey(row.id, at), open: block.open }] : [],
  )
}

function toggleTools(open: OpenConversation, navigator: Navigator): void {
  const row = navigator.row()
  if (row) open.folds.toggleAll(toolsOf(row))
}

function openMenu(open: OpenConversation, row: Row): void {
  const article = document.querySelector(`article[data-id="${CSS.escape(row.id)}"]`)
  openRowMenu(open, row, article?.querySelector('.conv-more') ?? article ?? document.querySelector('.conv-scroll'))
}

function copySelected(open: OpenConversation): void {
  const { selected } = open
  if (selected !== null) void copyLink(open, selected)
}
