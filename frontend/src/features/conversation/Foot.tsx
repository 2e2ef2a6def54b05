// What belongs to a message: problems, tasks, files.

import type { Row } from '../../data/api/types'
import { Icon } from '../../ui/Icon'
import { many } from '../../lib/words'

export function Foot({ row }: { row: Row }) {
  // A task list shows its own progress.
  const todos = row.blocks.some((block) => block.kind === 'todos') ? null : row.todos
  if (!row.findings.length && !todos && !row.files) return null
  return (
    <footer className="conv-foot">
      {row.findings.length > 0 && (
        <button type="button" className="conv-badge conv-badge-bad" data-do="problems" title={row.findings.join(', ')}>
          <Icon name="warning" size={12} /> {many(row.findings.length, 'problem')}
        </button>
      )}
      {todos && (
        <button type="button" className="conv-badge" data-do="todos" title="Tasks at this point">
          <Icon name="todos" size={12} /> {todos.done}/{todos.total}
          <progress className="conv-meter" max={todos.total || 1} value={todos.done} aria-label="Tasks done" />
        </button>
      )}
      {row.files > 0 && (
        <button type="button" className="conv-badge" data-do="files" title="Files changed with this message">
          <Icon name="files" size={12} /> {many(row.files, 'file')}
        </button>
      )}
    </footer>
  )
}
