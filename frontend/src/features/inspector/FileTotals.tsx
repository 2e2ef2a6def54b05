import { many } from '../../lib/amounts'
import type { FileCounts } from './fileCounts'

/** The total of all changes. */
export function FileTotals({ counts }: { counts: FileCounts }): React.JSX.Element | null {
  if (counts.files === 0) return null
  const kinds = (['created', 'modified', 'deleted'] as const).filter((kind) => counts[kind] > 0)
  return (
    <p className="inspector-totals">
      <span>{many(counts.files, 'file')}</span>
      {kinds.map((kind) => (
        <span key={kind}>
          {counts[kind]} {kind}
        </span>
      ))}
      <Lines added={counts.added} removed={counts.removed} />
    </p>
  )
}

/** Added and removed lines. */
export function Lines({ added, removed }: { added: number; removed: number }): React.JSX.Element {
  return (
    <span className="inspector-lines" aria-label={`${many(added, 'line')} added, ${removed} removed`}>
      <span className="inspector-added">+{added}</span>
      <span className="inspector-removed">−{removed}</span>
    </span>
  )
}
