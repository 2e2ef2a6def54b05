// Files that are not in the library, or only in part, with the reason and what to do.

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

/** Repairing writes a new file, whose name the user chooses; so the command is shown. */
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

/** Returns the name of the repaired file, beside the original; it keeps the suffixes, which show the compression. */
export function repairedName(path: string): string {
  return path.replace(/([^/])(\.[^/]*)?$/, (whole, last: string, endings?: string) =>
    endings === undefined ? `${whole}.repaired` : `${last}.repaired${endings}`,
  )
}

/** Returns any text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`
}
