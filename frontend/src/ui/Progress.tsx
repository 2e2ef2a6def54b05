// A progress bar.

import { Button } from './Button'
import './progress.css'

interface Props {
  label: string
  done: number
  /** Null while it is not known. */
  total: number | null
  text?: string
  onCancel?: () => void
}

export function Progress({ label, done, total, text, onCancel }: Props) {
  const share = total ? Math.min(1, done / total) : null
  return (
    <div className="progress">
      <div className="progress-line">
        <span className="progress-label">{label}</span>
        <span className="progress-number">{share === null ? '' : `${Math.floor(share * 100)} %`}</span>
        {onCancel && (
          <Button small kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
      <progress className="progress-bar" aria-label={label} max={1} {...(share === null ? {} : { value: share })} />
      {text && <div className="progress-text">{text}</div>}
    </div>
  )
}
