import { useEffect, useState } from 'react'
import { asApiError, path, post } from '../../data/api/client'
import type { Fixes, FixStep } from '../../data/api/types'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { useOpen } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { repair } from '../editing/edit'
import { useFault } from '../editing/useFault'
import { FaultBox } from '../common/FaultBox'
import { bytes, many } from '../../lib/amounts'
import './problems.css'

interface Props {
  codes: string[]
  onClose: () => void
}

/** A repair: first the plan, then the result with the path of the backup. */
export default function FixDialog({ codes, onClose }: Props): React.JSX.Element | null {
  const open = useOpen()
  const [fixes, setFixes] = useState<Fixes | null>(null)
  const { fault, show, fail, clear } = useFault()
  const [busy, setBusy] = useState(false)

  const plan = async (): Promise<void> => {
    setFixes(await planOf(open, codes))
  }
  const apply = async (shown: Fixes): Promise<void> => {
    try {
      setFixes(await repair(open, shown, codes))
    } catch (problem) {
      fail(problem)
      // The plan that was shown is outdated.
      if (asApiError(problem).fault.stamp) await plan()
    }
  }
  const run = (work: Promise<void>): void => {
    setBusy(true)
    clear()
    void work.catch(show).finally(() => setBusy(false))
  }
  // oxlint-disable-next-line react/exhaustive-deps -- the plan is asked for once
  useEffect(() => run(plan()), [])

  const footer = fixes?.applied ? (
    <Button kind="primary" onClick={onClose}>
      Close
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={busy || !fixes || fixes.total === 0} onClick={() => fixes && run(apply(fixes))}>
        Repair
      </Button>
    </>
  )
  return (
    <DialogBody footer={footer}>
      {fault && <FaultBox fault={fault} />}
      {!fixes && !fault && <p className="answer-wait">Making a plan…</p>}
      {fixes && <Plan fixes={fixes} />}
    </DialogBody>
  )
}

/** Returns the plan of the repair, after all pending changes. */
async function planOf(open: OpenConversation, codes: readonly string[]): Promise<Fixes> {
  await open.settled()
  const ask = (stamp: string | null) => post<Fixes>(path`/c/${open.cid}/fixes`, { stamp, codes })
  try {
    return await ask(open.revision)
  } catch (problem) {
    // A plan changes nothing and names its state, so it may be about a newer one.
    const { stamp } = asApiError(problem).fault
    if (stamp === null) throw problem
    return ask(stamp)
  }
}

function Plan({ fixes }: { fixes: Fixes }): React.JSX.Element {
  return (
    <>
      {fixes.applied ? (
        <div role="status">
          <p className="work-good">
            <Icon name="check" /> {many(fixes.total, 'change')} made
          </p>
          {fixes.backup && (
            <p>
              The file as it was: <code className="work-path">{fixes.backup}</code>
            </p>
          )}
        </div>
      ) : (
        <p>
          {fixes.total === 0
            ? 'Nothing to repair.'
            : `${many(fixes.total, 'change')} to the file. A copy of the old one is kept.`}
        </p>
      )}
      <ul className="inspector-totals">
        <li>{bytes(fixes.kept_bytes)} kept as they are</li>
        {fixes.quarantined_bytes > 0 && <li>{bytes(fixes.quarantined_bytes)} set aside</li>}
        <li>
          messages that can be reached: {fixes.reachable_before} → {fixes.reachable_after}
        </li>
      </ul>
      <ol className="fixes">
        {fixes.steps.map((step, number) => (
          <Step key={number} step={step} />
        ))}
      </ol>
      {fixes.total > fixes.steps.length && (
        <p className="inspector-note">{fixes.total - fixes.steps.length} more like these.</p>
      )}
    </>
  )
}

function Step({ step }: { step: FixStep }): React.JSX.Element {
  return (
    <li className="fixes-step">
      <p className="fixes-head">
        <span className="problems-code">{step.code}</span>
        {step.entry && <span className="fixes-entry">{step.entry}</span>}
      </p>
      <del>{step.before || '(nothing)'}</del>
      <ins>{step.after || '(nothing)'}</ins>
    </li>
  )
}
