import { useState } from 'react'
import { path } from '../../data/api/client'
import type { EditLine, HistoryState } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { Button } from '../../ui/Button'
import { Empty } from '../../ui/Empty'
import { Icon } from '../../ui/Icon'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { openSave } from '../editing/dialogs'
import { walk } from '../editing/edit'
import { useReadOnly } from '../../data/readOnly'
import { moment } from '../../lib/amounts'
import { Answered } from '../common/Answered'
import { walkTo } from './historyWalk'
import { goTo } from './places'
import './history.css'

/** All edits, newest first, with a way back to any of them. */
export function HistoryTab(): React.JSX.Element {
  const { cid } = useConversation()
  const got = useGet<HistoryState>(cid && path`/c/${cid}/edits`, undefined, { keep: true })
  return <Answered got={got}>{(history) => <Known history={history} />}</Answered>
}

function Known({ history }: { history: HistoryState }): React.JSX.Element {
  const open = useOpen()
  const { conversation } = useConversation()
  const readOnly = useReadOnly()
  const [busy, setBusy] = useState(false)
  const { edits } = history
  if (edits.length === 0) {
    return (
      <Empty icon="history" title="No edits yet">
        {conversation?.can.edit
          ? 'Replies, changes and moves will be listed here, and can be undone.'
          : conversation?.can.why_not}
      </Empty>
    )
  }
  const last = edits.findLastIndex((edit) => edit.state === 'done')
  const goBack = async (number: number): Promise<void> => {
    const way = walkTo(edits, number)
    if (!way) return
    setBusy(true)
    await walk(open, way.verb, way.edits)
    setBusy(false)
  }
  return (
    <section aria-label="Edits" className="history">
      <p className="history-head">
        {history.saved ? (
          <span className="work-good">
            <Icon name="check" /> Saved
          </span>
        ) : (
          <>
            <span className="history-unsaved">Not saved yet</span>
            <Button small disabled={readOnly || !conversation?.can.save} onClick={() => openSave(open)}>
              Save…
            </Button>
          </>
        )}
      </p>
      <ol className="history-list" reversed>
        {edits
          .map((edit, number) => ({ edit, number }))
          .toReversed()
          .map(({ edit, number }) => (
            <Line
              key={edit.id}
              edit={edit}
              here={number === last}
              off={busy || readOnly}
              onGo={() => void goBack(number)}
            />
          ))}
        <li className={last === -1 ? 'history-line history-here' : 'history-line'}>
          <span className="history-dot" />
          <span className="history-what">As it was read</span>
          {last >= 0 && (
            <Button small kind="quiet" disabled={busy || readOnly} onClick={() => void goBack(-1)}>
              Undo all
            </Button>
          )}
        </li>
      </ol>
    </section>
  )
}

const STATE: Record<EditLine['state'], string> = {
  done: '',
  undone: 'undone · ',
  settled: 'in the file · ',
  dropped: 'undone, then something else was done · ',
}

interface LineProps {
  edit: EditLine
  here: boolean
  off: boolean
  onGo: () => void
}

function Line({ edit, here, off, onGo }: LineProps): React.JSX.Element {
  const open = useOpen()
  const { about } = edit
  return (
    <li
      className={`history-line history-${edit.state}${here ? ' history-here' : ''}`}
      aria-current={here ? 'step' : undefined}
    >
      <span className="history-dot" />
      <span className="history-what">
        {about ? (
          <button
            type="button"
            className="history-go history-done"
            title="Go to the message"
            onClick={() => void goTo(open, about)}
          >
            {edit.what}
          </button>
        ) : (
          <span className="history-done">{edit.what}</span>
        )}
        <span className="history-time">
          {STATE[edit.state]}
          {moment(edit.time)}
        </span>
      </span>
      {!here && (edit.state === 'done' || edit.state === 'undone') && (
        <Button small kind="quiet" disabled={off} onClick={onGo}>
          {edit.state === 'done' ? 'Back to here' : 'Redo to here'}
        </Button>
      )}
    </li>
  )
}
