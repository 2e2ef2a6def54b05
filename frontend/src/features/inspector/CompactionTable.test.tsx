import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { UsageCompaction } from '../../data/api/types'
import { CompactionTable } from './CompactionTable'

;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true

let end = () => undefined as void
afterEach(() => end())

function shown(rows: UsageCompaction[]): HTMLElement {
  const box = document.body.appendChild(document.createElement('div'))
  const root = createRoot(box)
  act(() => root.render(<CompactionTable rows={rows} />))
  end = () => {
    act(() => root.unmount())
    box.remove()
  }
  return box
}

function compaction(more: Partial<UsageCompaction>): UsageCompaction {
  const unknown = { messages_before: null, messages_after: null, tokens_before: null, tokens_after: null, ratio: null }
  return { row: 0, kind: 'compacting', detail: '', ...unknown, ...more }
}

describe('CompactionTable', () => {
  it('names each compaction and restoration with its numbers', () => {
    const box = shown([compaction({}), compaction({ row: 1, kind: 'compacted', detail: '150 → 15 messages' })])
    expect([...box.querySelectorAll('tbody tr')].map((each) => each.textContent)).toEqual([
      'compacting–',
      'compacted150 → 15 messages',
    ])
  })

  it('is not there where nothing was compacted', () => {
    expect(shown([]).textContent).toBe('')
  })
})
