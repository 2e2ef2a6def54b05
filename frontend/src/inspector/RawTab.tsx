import { useState } from 'react'
import { path } from '../api/client'
import type { Raw } from '../api/types'
import { useGet } from '../api/use'
import { Button } from '../shell/Button'
import { Empty } from '../shell/Empty'
import { SafeHtml } from '../shell/SafeHtml'
import { useCurrent } from '../shell/current'
import { copy } from '../work/copy'
import { bytes } from './amounts'
import { Answered } from './Answered'
import './raw.css'

/** The selected message as it stands in its file. */
export function RawTab(): React.JSX.Element {
  const { cid, selected } = useCurrent()
  const got = useGet<Raw>(cid && selected ? path`/c/${cid}/messages/${selected}/raw` : null, undefined, { keep: true })
  if (!selected) return <Empty icon="raw" title="Select a message to see its record" />
  return <Answered got={got}>{(raw) => <Record raw={raw} />}</Answered>
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
        <Button small kind="quiet" icon="copy" label="Copy the record" onClick={() => void copy(raw.text, 'Record copied')} />
      </div>
      <div className={wrap ? 'raw-body raw-wrapped' : 'raw-body'} tabIndex={0} role="region" aria-label="Record">
        <SafeHtml className="tt-content" html={raw.html} />
      </div>
      {raw.cut > 0 && <p className="inspector-note">{bytes(raw.cut)} more are not shown.</p>}
    </section>
  )
}
