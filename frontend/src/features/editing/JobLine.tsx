import type { JobState } from '../../data/api/types'
import { bytes } from '../../lib/amounts'
import { DownloadLink } from '../common/DownloadLink'
import { Icon } from '../../ui/Icon'
import { Progress } from '../../ui/Progress'
import { fileOf } from './useWork'

/** The progress of a job, with a cancel button; then the file it made. */
export function JobLine({ job, onCancel }: { job: JobState; onCancel: () => void }): React.JSX.Element {
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
        <DownloadLink className="button button-primary work-download" address={fileOf(job)} name={job.file}>
          <Icon name="download" /> Download
        </DownloadLink>
      </div>
    )
  }
  return (
    <p className="work-job work-soft" role="status">
      {job.state === 'cancelled' ? 'Cancelled. Nothing was made.' : job.state === 'done' ? 'Done.' : 'It did not work.'}
    </p>
  )
}
