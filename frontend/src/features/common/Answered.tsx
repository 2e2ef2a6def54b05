import type { Got } from '../../data/api/use'
import { FaultBox } from './FaultBox'
import './work.css'

interface Props<T> {
  got: Got<T>
  children: (data: T) => React.ReactNode
}

/** Shows an answer, a loading state, or an error. */
export function Answered<T>({ got, children }: Props<T>): React.JSX.Element {
  if (got.data !== undefined) return <>{children(got.data)}</>
  if (got.error) return <FaultBox fault={got.error.fault} />
  return (
    <p className="answer-wait" role="status">
      Looking…
    </p>
  )
}
