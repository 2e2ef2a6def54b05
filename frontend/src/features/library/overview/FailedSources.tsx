// Files of which the library has nothing, or not all, with the reason and what can be done.

import { useState } from 'react'
import type { FailedSource, Failures } from '../../../data/api/types'
import { useGet } from '../../../data/api/use'
import { importPlaces } from '../../importing/imports'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { count } from '../../../lib/saying'

const STATES: Record<FailedSource['state'], string> = {
  unreadable: 'cannot be read: ',
  damaged: 'read in part: ',
  unrecognized: '',
}

export function FailedSources({ readOnly }: { readOnly: boolean }) {
  const { data } = useGet<Failures>('/failures', undefined, { keep: true })
  if (!data || data.total === 0) return null
  const hidden = data.total - data.sources.length
  return (
    <section className="failures" aria-labelledby="failures-title">
      <div className="failures-head">
        <h3 id="failures-title">{count(data.total, 'file')} not imported, or only in part</h3>
        {!readOnly && (
          <Button small icon="refresh" onClick={() => void importPlaces(false)}>
            Try again
          </Button>
        )}
      </div>
      <ul className="failures-list" tabIndex={0} aria-labelledby="failures-title">
        {data.sources.map((source) => (
          <Failure key={source.path} source={source} />
        ))}
      </ul>
      {hidden > 0 && <p className="failures-more">and {count(hidden, 'more file')}</p>}
    </section>
  )
}

function Failure({ source }: { source: FailedSource }) {
  return (
    <li className="failures-one">
      <Icon name={source.state === 'unrecognized' ? 'file' : 'error'} />
      <div className="failures-text">
        <span className="failures-path">{source.path}</span>
        <span className="failures-reason">
          {STATES[source.state]}
          {source.reason}
        </span>
      </div>
      {source.state !== 'unrecognized' && <CopyCommand path={source.path} />}
    </li>
  )
}

/** Repairing writes a new file, whose name the person chooses; so the command is given to them. */
function CopyCommand({ path }: { path: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(`talktree repair ${quoted(path)} -o ${quoted(repairedName(path))}`)
    setCopied(true)
  }
  return (
    <Button small icon={copied ? 'check' : 'copy'} onClick={() => void copy()}>
      {copied ? 'Copied' : 'Copy repair command'}
    </Button>
  )
}

/** The name of the repaired file, beside the other one; it keeps the endings, which say how the file is packed. */
export function repairedName(path: string): string {
  return path.replace(/([^/])(\.[^/]*)?$/, (whole, last: string, endings?: string) =>
    endings === undefined ? `${whole}.repaired` : `${last}.repaired${endings}`,
  )
}

/** One word of a shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`
}
