import { path } from '../api/client'
import type { Session, SessionOperation, Travel } from '../api/types'
import { useGet } from '../api/use'
import { moment } from '../inspector/amounts'
import { Answered } from '../inspector/Answered'
import { goTo } from '../inspector/places'
import { Button } from '../shell/Button'
import { useCurrent } from '../shell/current'
import { openDialog } from '../work/dialogs'
import { Notices } from './PlanDialog'
import './session.css'
import '../inspector/history.css'

/** Where a session and its files stand, what was done to them, and the ways to go. */
export default function SessionPanel(): React.JSX.Element {
  const { cid } = useCurrent()
  const got = useGet<Session>(cid && path`/c/${cid}/session`, undefined, { keep: true })
  return <Answered got={got}>{(session) => <Known session={session} />}</Answered>
}

function Known({ session }: { session: Session }): React.JSX.Element {
  const { selected } = useCurrent()
  const travel = (verb: Travel['verb'], to: string | null = null): void =>
    openDialog({ kind: 'travel', travel: { verb, to, what: 'both', choices: {} } })
  const { files_at } = session
  return (
    <section aria-label="Session" className="session">
      <dl className="session-facts">
        <dt>Workspace</dt>
        <dd className="session-path">{session.workspace || 'none'}</dd>
        {files_at && (
          <>
            <dt>Files stand at</dt>
            <dd>
              <button type="button" className="history-go" onClick={() => void goTo(files_at)}>
                {files_at}
              </button>
            </dd>
          </>
        )}
      </dl>
      <div className="session-verbs" role="group" aria-label="Files and talk">
        {session.kind === 'own' && (
          <>
            <Button small icon="undo" disabled={!session.can_undo} onClick={() => travel('undo')}>
              Undo…
            </Button>
            <Button small icon="redo" disabled={!session.can_redo} onClick={() => travel('redo')}>
              Redo…
            </Button>
          </>
        )}
        <Button small icon="restore" disabled={!selected} onClick={() => travel('restore', selected)}>
          Restore to selected…
        </Button>
      </div>
      <p className="inspector-note">Nothing happens before its plan was shown.</p>
      <Notices notices={session.notices} />
      <h2 className="inspector-heading">What was done</h2>
      {session.operations.length === 0 && <p className="inspector-note">Nothing yet.</p>}
      <ol className="history-list">
        {session.operations.map((operation) => (
          <Operation key={operation.id} operation={operation} />
        ))}
      </ol>
    </section>
  )
}

function Operation({ operation }: { operation: SessionOperation }): React.JSX.Element {
  const { message } = operation
  return (
    <li className="history-line">
      <span className="history-dot" />
      <span className="history-what">
        <span>
          <span className="session-action">{operation.kind}</span> {operation.text}
        </span>
        <span className="history-time">{moment(operation.time)}</span>
      </span>
      {message && (
        <Button small kind="quiet" onClick={() => void goTo(message)}>
          Go there
        </Button>
      )}
    </li>
  )
}
