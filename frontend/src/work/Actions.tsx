import { useCurrent } from '../shell/current'
import { Button } from '../shell/Button'
import { openDialog } from './dialogs'
import { redo, undo } from './edit'
import { useBarState } from './useBarState'
import './work.css'

/** The buttons of the bar: undo, redo, save, save as, share. */
export default function Actions(): React.JSX.Element | null {
  const { conversation } = useCurrent()
  const state = useBarState()
  if (!conversation) return null
  return (
    <div className="work-actions" role="group" aria-label="Work on this conversation">
      <Button kind="quiet" icon="undo" label={state.undoText} shortcut="u" disabled={!state.undo} onClick={() => void undo()} />
      <Button kind="quiet" icon="redo" label={state.redoText} shortcut="Ctrl+R" disabled={!state.redo} onClick={() => void redo()} />
      <span className="work-save">
        <Button kind="quiet" icon="save" label="Save to its own file" shortcut="s" disabled={!state.save} onClick={() => openDialog({ kind: 'save' })} />
        {conversation.edited && <span className="work-dot" title="Edits that are not saved" />}
      </span>
      <Button kind="quiet" icon="convert" label="Save as another format" onClick={() => openDialog({ kind: 'save-as' })} />
      <Button kind="quiet" icon="share" label="Share" shortcut="e" onClick={() => openDialog({ kind: 'share' })} />
    </div>
  )
}
