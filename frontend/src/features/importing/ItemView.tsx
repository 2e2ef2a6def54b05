// One uploaded file.

import type { FormatSummary, Upload } from '../../data/api/types'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Progress } from '../../ui/Progress'
import { bytes, count } from '../../lib/saying'
import { change, drop, stopKeeping } from './imports'
import type { Item } from './items'
import { LedgerPreview } from './LedgerPreview'

interface Props {
  item: Item
  formats: readonly FormatSummary[]
  onOpen: (item: Item) => void
}

export function ItemView({ item, formats, onOpen }: Props) {
  return (
    <li className="import-item">
      <div className="import-head">
        <Icon
          name={item.state === 'kept' ? 'check' : item.trouble ? 'warning' : item.folder ? 'folder' : 'file'}
          className={`import-icon-${item.state}`}
        />
        <span className="import-name">{item.name}</span>
        <span className="import-soft">{bytes(item.size)}</span>
        {item.state === 'kept' && item.job?.cid && (
          <Button small onClick={() => onOpen(item)}>
            Open
          </Button>
        )}
        {item.state !== 'keeping' && (
          <Button small kind="quiet" icon="close" label={`Take ${item.name} off the list`} onClick={() => drop(item)} />
        )}
      </div>
      {item.state === 'waiting' && <p className="import-soft">Waits for the one before it.</p>}
      {item.state === 'sending' && (
        <Progress
          label={item.sent < item.size ? 'Being sent' : 'Being looked over'}
          done={item.sent}
          total={item.sent < item.size ? item.size : null}
          onCancel={() => drop(item)}
        />
      )}
      {item.trouble && (
        <p className="import-trouble" role="alert">
          {item.trouble}
        </p>
      )}
      {item.upload && item.state !== 'unknown' && <Looked upload={item.upload} formats={formats} />}
      {item.upload && item.state === 'ready' && <KeepAs item={item} upload={item.upload} formats={formats} />}
      {item.state === 'keeping' && (
        <Progress
          label="Being kept"
          done={item.job?.done ?? 0}
          total={item.job?.total ?? null}
          text={item.job?.text ?? ''}
          onCancel={() => stopKeeping(item)}
        />
      )}
    </li>
  )
}

function told({ errors, warnings }: { errors: number; warnings: number }): string {
  return [errors && count(errors, 'error'), warnings && count(warnings, 'warning')].filter(Boolean).join(', ')
}

function Looked({ upload, formats }: { upload: Upload; formats: readonly FormatSummary[] }) {
  const title = formats.find((format) => format.slug === upload.format)?.title ?? upload.format
  const { findings } = upload
  const wrong = findings ? findings.errors + findings.warnings : 0
  return (
    <div className="import-looked">
      <p>
        <strong>{title}</strong>{' '}
        <span className="import-soft">
          ({Math.round(upload.confidence * 100)} % sure: {upload.reason})
        </span>
      </p>
      <p>
        {count(upload.conversations, 'conversation')}, {count(upload.messages, 'message')}
      </p>
      {findings && wrong === 0 && (
        <p className="import-good">Sound{findings.notes > 0 ? `, ${count(findings.notes, 'note')}` : ''}.</p>
      )}
      {findings && wrong > 0 && (
        <details>
          <summary className="import-wrong">{told(findings)}. It can be kept all the same.</summary>
          <ul className="import-examples">
            {findings.examples.map((example, at) => (
              <li key={at}>{example}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function KeepAs({ item, upload, formats }: { item: Item; upload: Upload; formats: readonly FormatSummary[] }) {
  const others = formats.filter((format) => format.writes && format.slug !== upload.format)
  return (
    <div className="import-as">
      <label>
        Keep it{' '}
        <select value={item.to ?? ''} onChange={(event) => change(item.id, { to: event.target.value || null })}>
          <option value="">as it is</option>
          {others.map((format) => (
            <option key={format.slug} value={format.slug}>
              as {format.title}
            </option>
          ))}
        </select>
      </label>
      {item.to && <LedgerPreview upload={upload.upload} to={item.to} />}
    </div>
  )
}
