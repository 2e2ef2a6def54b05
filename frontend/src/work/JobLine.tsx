import type { Job } from '../api/types'
import { bytes } from '../inspector/amounts'
import { Icon } from '../shell/Icon'
import { Progress } from '../shell/Progress'
import { fileOf } from './useWork'

/** How far a job is, with a way to stop it; then the file it made. */
export function JobLine({ job, onCancel }: { job: Job; onCancel: () => void }): React.JSX.Element {
  if (job.state === 'running') {
    return <Progress done={job.done} total={job.total} label={job.text || 'Working'} onCancel={onCancel} />
  }
  if (job.state === 'done' && job.file) {
    return (
      <div className="work-job work-done" role="status">
        <Icon name="check" />
        <span className="work-grow">
          <strong>{job.file}</strong>
          {job.size !== null && <span className="work-soft"> {bytes(job.size)}</span>}
        </span>
        <a className="button button-primary work-download" href={fileOf(job)} download={job.file}>
          <Icon name="download" /> Download
        </a>
      </div>
    )
  }
  return (
    <p className="work-job work-soft" role="status">
      {job.state === 'cancelled' ? 'Cancelled. Nothing was made.' : job.state === 'done' ? 'Done.' : 'It did not work.'}
    </p>
  )
}
