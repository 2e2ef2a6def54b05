import { FaultBox } from '../common/FaultBox'
import { JobLine } from './JobLine'
import type { Work } from './useWork'

/** How far the work of a dialog is and what came of it; above its buttons, so that it is always seen. */
export function Outcome({ work }: { work: Work }): React.JSX.Element | null {
  if (!work.fault && !work.job) return null
  return (
    <div className="work-outcome">
      {work.fault ? <FaultBox fault={work.fault} /> : work.job && <JobLine job={work.job} onCancel={work.cancel} />}
    </div>
  )
}
