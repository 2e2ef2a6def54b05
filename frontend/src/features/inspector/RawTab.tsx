import { useState } from 'react'
import { path } from '../../data/api/client'
import type { Raw } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { Button } from '../../ui/Button'
import { Empty } from '../../ui/Empty'
import { SafeHtml } from '../common/SafeHtml'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { copy } from '../editing/copy'
import { bytes } from '../../lib/amounts'
import { Answered } from '../common/Answered'
import './raw.css'

/** The selected message as it is in its file. */
export function RawTab(): React.JSX.Element {
  const { cid, selected } = useConversation()
  const [turned, turnTo] = useState({ from: selected, id: selected })
  const id = turned.from === selected ? turned.id : selected
  const got = useGet<Raw>(cid && id ? path`/c/${cid}/messages/${id}/raw` : null, undefined, { keep: true })
  if (!id) return <Empty icon="raw" title="Select a message to see its record" />
  return (
    <Answered got={got}>
      {(raw) => (
        <>
          <Beside raw={raw} id={id} onTurn={(to) => turnTo({ from: selected, id: to })} />
          <Record raw={raw} />
        </>
      )}
    </Answered>
  )
}

/** A row may consist of several records: a call and its results, and records without content. */
function Beside({ raw, id, onTurn }: { raw: Raw; id: string; onTurn: (id: string) => void }): React.JSX.Element | null {
  const at = raw.beside.indexOf(id)
  if (raw.beside.length < 2 || at < 0) return null
  const turn = (by: number) => onTurn(raw.beside[at + by] ?? id)
  return (
    <div className="raw-beside" role="group" aria-label="Records of the row">
      <Button small kind="quiet" icon="up" label="Record before" disabled={at === 0} onClick={() => turn(-1)} />
      <Button
        small
        kind="quiet"
        icon="down"
        label="Record behind"
        disabled={at + 1 === raw.beside.length}
        onClick={() => turn(1)}
      />
      <span>
        record {at + 1} of {raw.beside.length}
      </span>
    </div>
  )
}

function Record({ raw }: { raw: Raw }): React.JSX.Element {
  const [wrap, setWrap] = useState(true)
  return (
    <section aria-label="Record of the message" className="raw">
      <div className="raw-head">
        <p className="raw-place">
          <span className="raw-path">{raw.path}</span>
          {raw.line !== null && <span>line {raw.line.toLocaleString('en')}</span>}
          <span>{bytes(raw.size)}</span>
        </p>
        <Button small kind="quiet" icon="wrap" label="Wrap long lines" pressed={wrap} onClick={() => setWrap(!wrap)} />
        <Button
          small
          kind="quiet"
          icon="copy"
          label="Copy the record"
          onClick={() => void copy(raw.text, 'Record copied')}
        />
      </div>
      <div className={wrap ? 'raw-body raw-wrapped' : 'raw-body'} tabIndex={0} role="region" aria-label="Record">
        <SafeHtml className="tt-content" html={raw.html} />
      </div>
      {raw.cut > 0 && <p className="inspector-note">{bytes(raw.cut)} more are not shown.</p>}
    </section>
  )
}
