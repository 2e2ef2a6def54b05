import type { ErrorDetails } from '../../data/api/types'
import { Icon } from '../../ui/Icon'
import './work.css'

/** An error with its hint. */
export function FaultBox({ fault }: { fault: ErrorDetails }): React.JSX.Element {
  return (
    <div className="fault-box" role="alert">
      <Icon name="error" />
      <div>
        <p>{fault.message}</p>
        {fault.hint && <p className="work-soft">{fault.hint}</p>}
      </div>
    </div>
  )
}
