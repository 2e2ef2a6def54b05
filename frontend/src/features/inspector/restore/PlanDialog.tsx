import { useState } from 'react'
import { path } from '../../../data/api/client'
import type { SessionState, NavigationRequest } from '../../../data/api/types'
import { useGet } from '../../../data/api/use'
import { many } from '../../../lib/amounts'
import { DialogBody } from '../../../ui/overlay/DialogBody'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { useConversation } from '../../../data/conversation/ConversationProvider'
import { FaultBox } from '../../common/FaultBox'
import { useReadOnly } from '../../../data/readOnly'
import { applicable, inOrder, open, type Choices } from './plan'
import { Notices } from './Notices'
import { PlanSteps } from './PlanSteps'
import { usePlan } from './usePlan'
import { WayFields, type Way } from './WayFields'
import '../diff.css'
import '../inspector.css'
import './session.css'

const DO: Record<NavigationRequest['verb'], string> = { undo: 'Undo', redo: 'Redo', restore: 'Restore' }

interface Props {
  travel: NavigationRequest
  onClose: () => void
}

/** The plan for the files of a session; conflicts are resolved here before it is applied. */
export default function PlanDialog({ travel, onClose }: Props): React.JSX.Element {
  const { cid } = useConversation()
  const session = useGet<SessionState>(cid && path`/c/${cid}/session`).data
  const [way, setWay] = useState<Way>({ what: travel.what ?? 'both', into: '' })
  const planning = usePlan({ ...travel, what: way.what, into: way.into || null })
  const readOnly = useReadOnly()
  const { plan, choices, applied, fault, busy } = planning
  const left = plan ? open(plan, choices).length : 0
  const ready = plan !== null && applicable(plan, choices)

  const footer = applied ? (
    <Button kind="primary" onClick={onClose}>
      Close
    </Button>
  ) : (
    <>
      {left > 0 && <span className="session-left">{many(left, 'conflict')} to decide</span>}
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={busy || !ready || readOnly} onClick={planning.apply}>
        {DO[travel.verb]}
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      {!applied && session && <WayFields session={session} verb={travel.verb} way={way} onChange={setWay} />}
      {fault && <FaultBox fault={fault} />}
      {applied ? (
        <div role="status">
          <p className="work-good">
            <Icon name="check" /> {many(applied.done, 'file')} changed
          </p>
          <Notices notices={applied.notices} />
        </div>
      ) : plan ? (
        <>
          {plan.chat && <p className="session-chat">{plan.chat}</p>}
          {plan.uncovered.length > 0 && <Uncovered what={plan.uncovered} />}
          <PlanSteps
            steps={inOrder(plan.steps)}
            choices={choices}
            onChoose={(next: Choices) => planning.choose(next)}
          />
        </>
      ) : (
        !fault && <p className="answer-wait">Making a plan…</p>
      )}
    </DialogBody>
  )
}

function Uncovered({ what }: { what: readonly string[] }): React.JSX.Element {
  return (
    <div className="session-uncovered">
      <p>
        <Icon name="warning" /> Not covered by this plan:
      </p>
      <Notices notices={what} />
    </div>
  )
}
