// For tests: a server that answers questions for rows.

import { vi } from 'vitest'
import type { Row } from '../../data/api/types'

/** Takes the place of the network; `asked` are the first rows of the pages that were asked for. */
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
