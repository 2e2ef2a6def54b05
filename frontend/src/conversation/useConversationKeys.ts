// The keys of the conversation.

import { getCurrent, setFollow } from '../shell/current'
import { openInspector } from '../shell/panes'
import { useKeys } from '../keys/use'
import { copyLink } from '../work/copy'
import { foldKey, forgetFolds, toggleAll } from './folds'
import type { Navigator } from './navigate'
import { openRowMenu } from './RowMenu'
import { leave } from './trail'
import { changeView, getView, LAYOUTS } from './view'

/** Thinking is shown or folded everywhere, whatever was unfolded by hand. */
export function switchThinking(): void {
  forgetFolds((key) => key.includes('\u0000thinking'))
  changeView({ thinking: !getView().thinking })
}

export function useConversationKeys(navigator: Navigator, find: () => void): void {
  useKeys([
    { keys: 'j', text: 'Next message', group: 'Messages', quiet: true, run: () => navigator.step(1) },
    { keys: 'k', text: 'Previous message', group: 'Messages', quiet: true, run: () => navigator.step(-1) },
    { keys: 'J', text: 'Next prompt', group: 'Messages', run: () => void navigator.prompt(1) },
    { keys: 'K', text: 'Previous prompt', group: 'Messages', run: () => void navigator.prompt(-1) },
    { keys: 'g g', text: 'First message', group: 'Messages', run: () => navigator.first() },
    { keys: 'G', text: 'Last message', group: 'Messages', run: () => navigator.end() },
    { keys: 'h', text: 'Previous version at this fork', group: 'Branches', run: () => navigator.sibling(navigator.row(), -1) },
    { keys: 'l', text: 'Next version at this fork', group: 'Branches', run: () => navigator.sibling(navigator.row(), 1) },
    { keys: 'b', text: 'Back from a sub-agent', group: 'Branches', run: leave },
    { keys: 'o', text: 'Open or fold the tools of a message', group: 'Messages', run: () => toggleTools(navigator) },
    { keys: 'm', text: 'Actions of a message', group: 'Messages', run: () => openMenu(navigator) },
    { keys: 'y', text: 'Copy the link of a message', group: 'Messages', run: copySelected },
    { keys: 'd', text: 'Files and what changed in them', group: 'Inspector', run: () => openInspector('files') },
    { keys: '/', text: 'Find in this conversation', group: 'Conversation', run: find },
    { keys: 't', text: 'Show or fold thinking', group: 'View', run: switchThinking },
    { keys: 'f', text: 'Follow what comes', group: 'View', run: () => setFollow(!getCurrent().follow) },
    { keys: 'F', text: 'Filter the rows', group: 'View', run: () => changeView({ filtering: !getView().filtering }) },
    ...LAYOUTS.map((layout) => ({ text: `Layout: ${layout}`, group: 'View', run: () => changeView({ layout }) })),
  ])
}

function toggleTools(navigator: Navigator): void {
  const row = navigator.row()
  if (!row) return
  const calls = row.blocks.flatMap((block, at) => (block.kind === 'call' || block.kind === 'result' ? [{ key: foldKey(row.id, at), open: block.open }] : []))
  if (calls.length) toggleAll(calls)
}

function openMenu(navigator: Navigator): void {
  const row = navigator.row()
  const article = row && document.querySelector(`article[data-id="${CSS.escape(row.id)}"]`)
  if (row && article) openRowMenu(row, article.querySelector('.conv-more') ?? article)
}

function copySelected(): void {
  const { selected } = getCurrent()
  if (selected !== null) void copyLink(selected)
}
