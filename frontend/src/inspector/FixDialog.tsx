import { useEffect, useState } from 'react'
import { asApiError, path, post } from '../api/client'
import type { Fault, Fixes, FixStep } from '../api/types'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { Icon } from '../shell/Icon'
import { getCurrent, reload, useCurrent } from '../shell/current'
import { FaultBox } from '../work/FaultBox'
import { bytes, many } from './amounts'
import './problems.css'

interface Props {
  codes: string[]
  onClose: () => void
}

/** A repair: what it would do, then that it was done and where the old file is. */
export default function FixDialog({ codes, onClose }: Props): React.JSX.Element | null {
  const { cid } = useCurrent()
  const [fixes, setFixes] = useState<Fixes | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const [busy, setBusy] = useState(false)

  const ask = async (apply: boolean): Promise<void> => {
    setBusy(true)
    setFault(null)
    try {
      setFixes(await post<Fixes>(path`/c/${cid ?? ''}/fixes`, { stamp: getCurrent().stamp, codes, apply }))
      if (apply) await reload()
    } catch (problem) {
      setFault(asApiError(problem).fault)
      if (asApiError(problem).fault.stamp) await reload()
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => void ask(false), []) // the plan, once

  const footer = fixes?.applied ? (
    <Button kind="primary" onClick={onClose}>
      Close
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={busy || !fixes || fixes.total === 0} onClick={() => void ask(true)}>
        Mend it
      </Button>
    </>
  )
  return (
    <Dialog title={codes.length ? `Mend ${codes.join(', ')}` : 'Mend what is safe'} onClose={onClose} footer={footer} wide>
      {fault && <FaultBox fault={fault} />}
      {!fixes && !fault && <p className="inspector-wait">Making a plan…</p>}
      {fixes && <Plan fixes={fixes} />}
    </Dialog>
  )
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
          {fixes.total === 0 ? 'Nothing to mend.' : `${many(fixes.total, 'change')} to the file. A copy of the old one is kept.`}
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
      {fixes.total > fixes.steps.length && <p className="inspector-note">{fixes.total - fixes.steps.length} more like these.</p>}
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
