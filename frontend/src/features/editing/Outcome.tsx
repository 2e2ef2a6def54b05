import { FaultBox } from '../common/FaultBox'
import { JobLine } from './JobLine'
import type { Work } from './useWork'

/** The progress and result of a dialog's job; above its buttons, so that it is always visible. */
export function Outcome({ work }: { work: Work }): React.JSX.Element | null {
  if (!work.fault && !work.job) return null
  return (
    <div className="work-outcome">
      {work.fault ? <FaultBox fault={work.fault} /> : work.job && <JobLine job={work.job} onCancel={work.cancel} />}
    </div>
  )
}
