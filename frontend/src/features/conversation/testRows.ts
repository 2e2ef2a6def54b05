// For tests: rows, and a server that returns them.

import { vi } from 'vitest'
import type { MessageBlock, Row } from '../../data/api/types'

/** Replaces the network; `asked` are the first rows of the requested pages. */
export function serveRows(rows: (from: number, limit: number) => Row[], total: () => number, stamp: () => string) {
  const asked: number[] = []
  const signals: AbortSignal[] = []
  vi.stubGlobal('fetch', (address: string, { signal }: { signal: AbortSignal }) => {
    const params = new URL(address, 'http://x').searchParams
    const [from, limit] = [Number(params.get('from')), Number(params.get('limit'))]
    asked.push(from)
    signals.push(signal)
    const body = { stamp: stamp(), leaf: 'l', total: total(), start: from, rows: rows(from, limit) }
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
      setTimeout(() => resolve(new Response(JSON.stringify(body))))
    })
  })
  return { asked, signals }
}

/** Returns a message without content; tests set what they need. */
export function makeRow(more: Partial<Row>): Row {
  return {
    number: 0,
    id: `m${more.number ?? 0}`,
    parent: null,
    role: 'user',
    speaker: 'You',
    time: null,
    kind: 'message',
    flags: [],
    chips: [],
    blocks: [],
    siblings: null,
    sides: [],
    tokens: null,
    seconds: null,
    todos: null,
    files: 0,
    findings: [],
    inferred: false,
    edited: '',
    text: '',
    ...more,
  }
}

/** Returns a part of a message without content. */
export function makeBlock(more: Partial<MessageBlock>): MessageBlock {
  return {
    kind: 'text',
    html: '',
    title: '',
    detail: '',
    name: '',
    outcome: '',
    open: false,
    cut: 0,
    number: -1,
    media_type: '',
    size: null,
    remote: '',
    leaf: '',
    runs: false,
    ...more,
  }
}
