import { path } from '../../../data/api/client'
import type { SessionState, SessionOperation, NavigationRequest } from '../../../data/api/types'
import { useGet } from '../../../data/api/use'
import { moment } from '../../../lib/amounts'
import { Answered } from '../../common/Answered'
import { goTo } from '../places'
import { Button } from '../../../ui/Button'
import { useConversation, useOpen } from '../../../data/conversation/ConversationProvider'
import { openPlan } from './openPlan'
import { Notices } from './Notices'
import './session.css'
import '../history.css'

/** The state of a session and its files, its history, and the possible moves. */
export default function SessionPanel(): React.JSX.Element {
  const { cid } = useConversation()
  const got = useGet<SessionState>(cid && path`/c/${cid}/session`, undefined, { keep: true })
  return <Answered got={got}>{(session) => <Known session={session} />}</Answered>
}

function Known({ session }: { session: SessionState }): React.JSX.Element {
  const open = useOpen()
  const { selected } = useConversation()
  const travel = (verb: NavigationRequest['verb'], to: string | null = null): void => openPlan(open, verb, to)
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
              <button type="button" className="history-go" onClick={() => void goTo(open, files_at)}>
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
  const open = useOpen()
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
        <Button small kind="quiet" onClick={() => void goTo(open, message)}>
          Go there
        </Button>
      )}
    </li>
  )
}
