// What the bar has no room for on a small screen.

import { chooseFiles } from '../importing/imports'
import { nextTheme, THEMES, useTheme } from '../theme/theme'
import { openDialog } from '../work/dialogs'
import { redo, undo } from '../work/edit'
import { useBarState } from '../work/useBarState'
import { useCurrent } from './current'
import { openHelp } from './help'
import { Menu, type MenuItem } from './Menu'
import { toggle } from './panes'
import { go } from './router'

export function MoreMenu({ readOnly }: { readOnly: boolean }) {
  const open = useCurrent().conversation !== null
  const state = useBarState()
  const [icon, name] = THEMES[useTheme()]
  const work: MenuItem[] = [
    { key: 'undo', group: 'work', text: state.undoText, icon: 'undo', enabled: state.undo, run: () => void undo() },
    { key: 'redo', group: 'work', text: state.redoText, icon: 'redo', enabled: state.redo, run: () => void redo() },
    { key: 'save', group: 'work', text: 'Save to its own file', icon: 'save', enabled: state.save, run: () => openDialog({ kind: 'save' }) },
    { key: 'save-as', group: 'work', text: 'Save as another format', icon: 'convert', run: () => openDialog({ kind: 'save-as' }) },
    { key: 'share', group: 'work', text: 'Share', icon: 'share', run: () => openDialog({ kind: 'share' }) },
    { key: 'inspector', group: 'view', text: 'Inspector', icon: 'right', run: () => toggle('right') },
  ]
  const always: MenuItem[] = [
    { key: 'home', group: 'view', text: 'Overview', icon: 'home', run: () => go({}) },
    { key: 'import', group: 'view', text: 'Import files', icon: 'import', enabled: !readOnly, run: () => chooseFiles() },
    { key: 'theme', group: 'view', text: `Theme: ${name}`, icon, run: nextTheme },
    { key: 'help', group: 'view', text: 'Help and keys', icon: 'help', run: openHelp },
  ]
  return <Menu label="More" items={open ? [...work, ...always] : always} />
}
