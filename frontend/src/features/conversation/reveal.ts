// Unfolds the block that contains a search match.

import type { Row } from '../../data/api/types'
import { foldKey, type Folds } from '../../data/conversation/folds'

export function openFound(folds: Folds, row: Row | undefined, text: string): void {
  if (!row) return
  const wanted = text.toLowerCase()
  row.blocks.forEach((block, at) => {
    if (block.kind === 'text' || !plain(block.html).includes(wanted)) return
    folds.set(foldKey(row.id, block.kind === 'thinking' ? `thinking${at}` : at), true)
    if (block.kind !== 'call') return
    // A group of calls is opened at its first one.
    let first = at
    while (first > 0 && row.blocks[first - 1]?.kind === 'call') first--
    folds.set(foldKey(row.id, `group${first}`), true)
  })
  if (row.kind === 'divider') folds.set(foldKey(row.id, 'divider'), true)
}

/** Returns the text of safe HTML, well enough for a search. */
function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .toLowerCase()
}
