import type { Fault } from '../api/types'
import { Icon } from '../shell/Icon'
import './work.css'

/** What went wrong, with what may help. */
export function FaultBox({ fault }: { fault: Fault }): React.JSX.Element {
  return (
    <div className="work-fault" role="alert">
      <Icon name="error" />
      <div>
        <p>{fault.message}</p>
        {fault.hint && <p className="work-soft">{fault.hint}</p>}
      </div>
    </div>
  )
}
