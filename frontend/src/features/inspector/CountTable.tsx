import { useState } from 'react'
import type { UsageCount } from '../../data/api/types'
import { Button } from '../../ui/Button'
import { lasted, money, short } from '../../lib/amounts'

const FEW = 8

/** Counts as bars, with further columns where more is known. */
export function CountTable({ title, rows }: { title: string; rows: readonly UsageCount[] }): React.JSX.Element | null {
  const [all, setAll] = useState(false)
  if (rows.length === 0) return null
  const most = Math.max(...rows.map((row) => row.count))
  const has = {
    failures: rows.some((row) => row.failures > 0),
    seconds: rows.some((row) => row.seconds !== null),
    tokens: rows.some((row) => row.tokens > 0),
    cost: rows.some((row) => row.cost !== null),
  }
  return (
    <section aria-label={title}>
      <table className="usage-table">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">count</th>
            {has.failures && <th scope="col">failed</th>}
            {has.seconds && <th scope="col">time</th>}
            {has.tokens && <th scope="col">tokens</th>}
            {has.cost && <th scope="col">cost</th>}
          </tr>
        </thead>
        <tbody>
          {(all ? rows : rows.slice(0, FEW)).map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <span className="usage-bar" style={{ width: `${(100 * row.count) / most}%` }} />
                <span className="usage-name" title={row.name}>
                  {row.name}
                </span>
              </th>
              <td>{row.count.toLocaleString('en')}</td>
              {has.failures && <td className={row.failures ? 'usage-failed' : ''}>{row.failures || '–'}</td>}
              {has.seconds && <td>{row.seconds === null ? '–' : lasted(row.seconds)}</td>}
              {has.tokens && <td>{row.tokens ? short(row.tokens) : '–'}</td>}
              {has.cost && <td>{row.cost === null ? '–' : money(row.cost)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > FEW && (
        <Button small kind="quiet" onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `${rows.length - FEW} more`}
        </Button>
      )}
    </section>
  )
}
