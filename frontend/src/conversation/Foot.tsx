// What a message cost and brought, faintly below it.

import type { Row } from '../api/types'
import { Icon } from '../shell/Icon'
import { lasting, many, short } from './words'

export function Foot({ row }: { row: Row }) {
  const spent = row.tokens
  const read = spent ? spent.input + spent.cache_read + spent.cache_write : 0
  const wrote = spent?.output ?? 0
  if (!row.findings.length && !row.todos && !row.files && !read && !wrote && row.seconds === null) return null
  return (
    <footer className="conv-foot">
      {row.findings.length > 0 && (
        <button type="button" className="conv-badge conv-badge-bad" data-do="problems" title={row.findings.join(', ')}>
          <Icon name="warning" size={12} /> {many(row.findings.length, 'problem')}
        </button>
      )}
      {row.todos && (
        <button type="button" className="conv-badge" data-do="todos" title="Tasks at this point">
          <Icon name="todos" size={12} /> {row.todos.done}/{row.todos.total}
          <progress className="conv-meter" max={row.todos.total || 1} value={row.todos.done} aria-label="Tasks done" />
        </button>
      )}
      {row.files > 0 && (
        <button type="button" className="conv-badge" data-do="files" title="Files changed with this message">
          <Icon name="files" size={12} /> {many(row.files, 'file')}
        </button>
      )}
      {(read > 0 || wrote > 0) && (
        <span className="conv-faint" title={spentTitle(row)}>
          {read > 0 && `${short(read)} in`}
          {read > 0 && wrote > 0 && ' · '}
          {wrote > 0 && `${short(wrote)} out`}
        </span>
      )}
      {row.seconds !== null && row.seconds >= 0.1 && (
        <span className="conv-faint" title="Since the message before">
          {lasting(row.seconds)}
        </span>
      )}
    </footer>
  )
}

function spentTitle({ tokens }: Row): string {
  if (!tokens) return ''
  const parts = [`${tokens.input.toLocaleString('en')} tokens read`, `${tokens.output.toLocaleString('en')} written`]
  if (tokens.cache_read) parts.push(`${tokens.cache_read.toLocaleString('en')} from the cache`)
  if (tokens.cache_write) parts.push(`${tokens.cache_write.toLocaleString('en')} into the cache`)
  return parts.join(', ')
}
