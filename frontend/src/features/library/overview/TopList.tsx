// The most frequent values, as a list with bars.

import type { UsageCount } from '../../../data/api/types'
import { count, money, roughly, short } from '../../../lib/saying'

interface Props {
  title: string
  counted: readonly UsageCount[]
  /** Singular and plural: "call", "calls". */
  unit: readonly [string, string]
  nameOf?: (name: string) => string
  onPick?: (name: string) => void
}

const SHOWN = 8

export function TopList({ title, counted, unit, nameOf = (name) => name, onPick }: Props) {
  // They come sorted by cost; here they are sorted by the length of their bars.
  const top = counted.toSorted((one, other) => other.count - one.count).slice(0, SHOWN)
  const most = top[0]?.count || 1
  const failing = top.some((one) => one.failures > 0)
  return (
    <section className="top" aria-label={title}>
      <h2 className="chart-caption">
        {title} <span className="chart-detail">{counted.length > SHOWN ? `${SHOWN} of ${counted.length}` : ''}</span>
      </h2>
      {top.length === 0 && <p className="top-none">None yet.</p>}
      <ol className={`top-list${failing ? ' top-failing' : ''}`}>
        {top.map((one) => (
          <li key={one.name} className="top-line" title={hint(one, unit)}>
            {onPick ? (
              <button type="button" className="top-name" onClick={() => onPick(one.name)}>
                {nameOf(one.name)}
              </button>
            ) : (
              <span className="top-name">{nameOf(one.name)}</span>
            )}
            <span className="top-bar" aria-hidden="true">
              <span className="top-fill" style={{ width: `${(one.count / most) * 100}%` }} />
            </span>
            <span className="top-count">
              {short(one.count)}
              <span className="sr-only"> {one.count === 1 ? unit[0] : unit[1]}</span>
            </span>
            {failing && <span className="top-failed">{one.failures > 0 ? `${short(one.failures)} failed` : ''}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function hint(one: UsageCount, [single, many]: readonly [string, string]): string {
  const parts = [one.name, count(one.count, single, many)]
  if (one.failures > 0) parts.push(`${one.failures} failed`)
  if (one.tokens > 0) parts.push(roughly(one.tokens, 'token'))
  if (one.cost !== null) parts.push(money(one.cost))
  return parts.join('\n')
}
