import { useState } from 'react'
import { path } from '../api/client'
import type { Session, Travel } from '../api/types'
import { useGet } from '../api/use'
import { many } from '../inspector/amounts'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { Icon } from '../shell/Icon'
import { useCurrent } from '../shell/current'
import { FaultBox } from '../work/FaultBox'
import { useReadOnly } from '../work/readOnly'
import { applicable, inOrder, open, type Choices } from './plan'
import { PlanSteps } from './PlanSteps'
import { usePlan } from './usePlan'
import { WayFields, type Way } from './WayFields'
import '../inspector/diff.css'
import '../inspector/inspector.css'
import './session.css'

const TITLE: Record<Travel['verb'], string> = {
  undo: 'Undo the last step',
  redo: 'Redo',
  restore: 'Restore to the selected message',
}


interface Props {
  travel: Travel
  onClose: () => void
}

/** What would happen to the files of a session; conflicts are decided here, then it is done. */
export default function PlanDialog({ travel, onClose }: Props): React.JSX.Element {
  const { cid } = useCurrent()
  const session = useGet<Session>(cid && path`/c/${cid}/session`).data
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
        {TITLE[travel.verb].split(' ')[0]}
      </Button>
    </>
  )
  return (
    <Dialog title={TITLE[travel.verb]} onClose={onClose} footer={footer} wide>
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
          <PlanSteps steps={inOrder(plan.steps)} choices={choices} onChoose={(next: Choices) => planning.choose(next)} />
        </>
      ) : (
        !fault && <p className="inspector-wait">Making a plan…</p>
      )}
    </Dialog>
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

/** What was said along the way. */
export function Notices({ notices }: { notices: readonly string[] }): React.JSX.Element | null {
  if (notices.length === 0) return null
  return (
    <ul className="session-notices">
      {notices.map((notice, number) => (
        <li key={number}>{notice}</li>
      ))}
    </ul>
  )
}
