import { useConversation, useOpen } from '../data/conversation/ConversationProvider'
import { useReadOnly } from '../data/readOnly'
import { Button } from '../ui/Button'
import { Menu } from '../ui/Menu'
import { openForget, openNameBranch, openSave, openSaveAs } from '../features/editing/dialogs'
import { openShare } from '../features/share/openShare'
import { redo, undo } from '../features/editing/edit'
import { useBarState } from './useBarState'
import '../features/common/work.css'

/** The buttons of the toolbar: undo, redo, save, save as, share. */
export default function Actions(): React.JSX.Element | null {
  const { conversation } = useConversation()
  const open = useOpen()
  const state = useBarState()
  const readOnly = useReadOnly()
  if (!conversation) return null
  return (
    <div className="work-actions" role="group" aria-label="Work on this conversation">
      <Button
        kind="quiet"
        icon="undo"
        label={state.undoText}
        shortcut="u"
        disabled={!state.undo}
        onClick={() => void undo(open)}
      />
      <Button
        kind="quiet"
        icon="redo"
        label={state.redoText}
        shortcut="Mod+Shift+Z"
        disabled={!state.redo}
        onClick={() => void redo(open)}
      />
      <span className="work-save">
        <Button
          kind="quiet"
          icon="save"
          label="Save to its own file"
          shortcut="s"
          disabled={!state.save}
          onClick={() => openSave(open)}
        />
        {conversation.edited && <span className="work-dot" title="Edits that are not saved" />}
      </span>
      <Button kind="quiet" icon="convert" label="Save as another format" onClick={() => openSaveAs(open)} />
      <Button kind="quiet" icon="share" label="Share" shortcut="e" onClick={() => openShare(open)} />
      <span className="bar-wide">
        <Menu
          label="More about this conversation"
          items={[
            {
              key: 'name',
              text: 'Name this branch…',
              icon: 'branch',
              enabled: !readOnly,
              run: () => openNameBranch(open),
            },
            { key: 'forget', text: 'Forget…', icon: 'trash', enabled: !readOnly, run: () => openForget(open) },
          ]}
        />
      </span>
    </div>
  )
}
