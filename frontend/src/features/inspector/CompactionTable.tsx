import type { UsageCompaction } from '../../data/api/types'

/** When the context was compacted and restored, and how much of it was left. */
export function CompactionTable({ rows }: { rows: readonly UsageCompaction[] }): React.JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <section aria-label="Compactions">
      <table className="usage-table">
        <thead>
          <tr>
            <th scope="col">Compactions</th>
            <th scope="col">messages and tokens</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <th scope="row">
                <span className="usage-name">{row.kind}</span>
              </th>
              <td>{row.detail || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
