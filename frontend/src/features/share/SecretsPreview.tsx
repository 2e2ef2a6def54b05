import { useState } from 'react'
import type { Secrets } from '../../data/api/types'
import type { Got } from '../../data/api/use'
import { Answered } from '../common/Answered'
import { many } from '../../lib/amounts'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { lookedForWords } from './choices'
import { byKind, type SecretKind } from './secretKinds'

interface Props {
  got: Got<Secrets>
  redact: boolean
  onRedact: (redact: boolean) => void
}

/** The secrets in what would be shared, masked, and whether they are redacted. */
export function SecretsPreview({ got, redact, onRedact }: Props): React.JSX.Element {
  const [asking, setAsking] = useState(false)
  const found = got.data?.total ?? 0
  const change = (): void => {
    if (!redact) onRedact(true)
    else if (found > 0) setAsking(true)
    else onRedact(false)
  }
  return (
    <section className="share-secrets" aria-label="Secrets">
      <label className="work-check">
        <input type="checkbox" checked={redact} onChange={change} />
        <span>
          Replace secrets{' '}
          <span className="work-soft">keys, tokens and passwords, by placeholders; equal ones by equal ones</span>
        </span>
      </label>
      {asking && (
        <div className="share-ask" role="alertdialog" aria-label="Share secrets?">
          <p>
            <Icon name="warning" /> {many(found, 'secret')} would be readable by everybody who gets the file.
          </p>
          <div className="share-buttons">
            <Button data-autofocus onClick={() => setAsking(false)}>
              Keep replacing
            </Button>
            <Button kind="danger" onClick={() => (setAsking(false), onRedact(false))}>
              Share them
            </Button>
          </div>
        </div>
      )}
      {!redact && found > 0 && (
        <p className="share-open" role="status">
          <Icon name="warning" /> {many(found, 'secret')} will be in the file.
        </p>
      )}
      <Answered got={got}>
        {(secrets) => (
          <div className="share-kinds">
            <p className="work-soft">{lookedForWords(secrets.looked_for)}</p>
            <p className="work-soft">
              {secrets.total === 0
                ? 'Nothing of that kind was found. Read the preview: what has no known form or name is not found.'
                : `${many(secrets.total, 'place')} with ${many(secrets.distinct, 'value')}${redact ? ', all replaced' : ''}`}
            </p>
            {byKind(secrets.places).map((kind) => (
              <Kind key={kind.kind} kind={kind} />
            ))}
            {secrets.total > secrets.places.length && (
              <p className="inspector-note">{secrets.total - secrets.places.length} more places are not listed.</p>
            )}
          </div>
        )}
      </Answered>
    </section>
  )
}

function Kind({ kind }: { kind: SecretKind }): React.JSX.Element {
  return (
    <details className="share-kind">
      <summary>
        <span className="share-count">{kind.count}</span> {kind.what || kind.kind}
      </summary>
      <ul>
        {kind.secrets.map((secret) => (
          <li key={secret.placeholder}>
            <code>{secret.shown}</code> → <code>{secret.placeholder}</code>
            <span className="work-soft"> {where(secret.places.map((place) => place.number))}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function where(rows: readonly (number | null)[]): string {
  const known = [...new Set(rows.filter((row) => row !== null))].slice(0, 6).map((row) => `#${row + 1}`)
  const more = rows.length - known.length
  return known.length === 0
    ? many(rows.length, 'place')
    : `in ${known.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
