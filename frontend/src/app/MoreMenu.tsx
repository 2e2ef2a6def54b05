// The actions for which the toolbar has no room on a small screen.

import { chooseFiles } from '../features/importing/imports'
import { nextTheme, THEMES, useTheme } from '../lib/theme'
import { openForget, openSave, openSaveAs } from '../features/editing/dialogs'
import { openShare } from '../features/share/openShare'
import { redo, undo } from '../features/editing/edit'
import { useBarState } from './useBarState'
import { useConversation, useMaybeOpen } from '../data/conversation/ConversationProvider'
import { useBrowserCommand } from './browserCommand'
import { openHelp } from './Help'
import { LOCK, lockNow } from './Lock'
import { Menu, type MenuItem } from '../ui/Menu'
import { toggle } from '../ui/panes'
import { go } from '../lib/router'

export function MoreMenu({ readOnly, encrypted }: { readOnly: boolean; encrypted: boolean }) {
  const open = useMaybeOpen()
  const shown = useConversation().conversation !== null
  const state = useBarState()
  const browser = useBrowserCommand(readOnly)
  const [icon, name] = THEMES[useTheme()]
  const work: MenuItem[] = [
    {
      key: 'undo',
      group: 'work',
      text: state.undoText,
      icon: 'undo',
      enabled: state.undo,
      run: () => void (open && undo(open)),
    },
    {
      key: 'redo',
      group: 'work',
      text: state.redoText,
      icon: 'redo',
      enabled: state.redo,
      run: () => void (open && redo(open)),
    },
    {
      key: 'save',
      group: 'work',
      text: 'Save to its own file',
      icon: 'save',
      enabled: state.save,
      run: () => open && openSave(open),
    },
    {
      key: 'save-as',
      group: 'work',
      text: 'Save as another format',
      icon: 'convert',
      run: () => open && openSaveAs(open),
    },
    {
      key: 'share',
      group: 'work',
      text: 'Share',
      icon: 'share',
      run: () => open && openShare(open),
    },
    {
      key: 'forget',
      group: 'work',
      text: 'Forget…',
      icon: 'trash',
      enabled: !readOnly,
      run: () => open && openForget(open),
    },
    { key: 'inspector', group: 'view', text: 'Inspector', icon: 'right', run: () => toggle('right') },
  ]
  const always: MenuItem[] = [
    { key: 'home', group: 'view', text: 'Overview', icon: 'home', run: () => go({}) },
    {
      key: 'import',
      group: 'view',
      text: 'Import files',
      icon: 'import',
      enabled: !readOnly,
      run: () => chooseFiles(),
    },
    { key: 'theme', group: 'view', text: `Theme: ${name}`, icon, run: nextTheme },
    { key: 'help', group: 'view', text: 'Help and keys', icon: 'help', run: openHelp },
  ]
  if (encrypted) always.push({ key: 'lock', group: 'view', text: LOCK, icon: 'lock', run: () => void lockNow() })
  if (browser) always.push({ key: 'browser', group: 'view', text: browser.text, icon: 'key', run: browser.run })
  return <Menu label="More" items={shown ? [...work, ...always] : always} />
}
