import { useState } from 'react'
import { path } from '../../data/api/client'
import type { StudioInfo, LossSummary } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { FaultBox } from '../common/FaultBox'
import { Outcome } from './Outcome'
import { LedgerTable } from '../common/LedgerTable'
import { useWork } from './useWork'

/** Writes the conversation in another format; shows first what that loses. */
export default function SaveAsDialog({ onClose }: { onClose: () => void }): React.JSX.Element | null {
  const { cid, conversation, leaf } = useConversation()
  const formats = (useGet<StudioInfo>('/about').data?.formats ?? []).filter((format) => format.writes)
  const [chosen, setTo] = useState('')
  const [branch, setBranch] = useState('')
  const [clean, setClean] = useState(false)
  const work = useWork()
  const to = chosen || formats.find((format) => format.slug === conversation?.format)?.slug || formats[0]?.slug || ''
  const ledger = useGet<LossSummary>(
    cid && to ? path`/c/${cid}/ledger` : null,
    { to, branch, clean: clean || null },
    { keep: true },
  )
  if (!cid) return null

  const change =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      work.forget()
      set(value)
    }
  const footer = (
    <>
      <Outcome work={work} />
      <Button onClick={onClose}>{work.job?.state === 'done' ? 'Close' : 'Cancel'}</Button>
      {work.job?.state !== 'done' && (
        <Button
          kind="primary"
          disabled={!to || work.running}
          onClick={() => void work.start(path`/c/${cid}/save-as`, { to, branch: branch || null, clean })}
        >
          Convert
        </Button>
      )}
    </>
  )
  return (
    <DialogBody footer={footer}>
      <div className="work-form work-columns">
        <label className="work-field">
          <span>Format</span>
          <select data-autofocus value={to} onChange={(event) => change(setTo)(event.target.value)}>
            {formats.map((format) => (
              <option key={format.slug} value={format.slug}>
                {format.title}
                {format.slug === conversation?.format ? ' (as it is)' : ''}
              </option>
            ))}
          </select>
        </label>
        <label className="work-field">
          <span>Branches</span>
          <select value={branch} onChange={(event) => change(setBranch)(event.target.value)}>
            <option value="">as the format can hold</option>
            <option value="all">all branches</option>
            <option value="active">the current branch</option>
            {leaf && leaf !== conversation?.leaf && <option value={leaf}>the branch shown now</option>}
          </select>
        </label>
        <label className="work-check">
          <input type="checkbox" checked={clean} onChange={(event) => change(setClean)(event.target.checked)} />
          <span>
            Clean <span className="work-soft">leave out what only travels along for the way back</span>
          </span>
        </label>
      </div>
      {ledger.error ? (
        <FaultBox fault={ledger.error.fault} />
      ) : ledger.data ? (
        <LedgerTable ledger={ledger.data} />
      ) : (
        <p className="work-soft">Looking what is kept…</p>
      )}
    </DialogBody>
  )
}
