// Server-sent events by fetch: EventSource cannot send headers, and does not notice a silent connection.

import { address, type Params } from './client'
import { keyHeader } from './key'

/** The server sends something at least every 15 s; after this much silence it reconnects. */
export const SILENCE = 40_000
const FIRST_RETRY = 1000
const LAST_RETRY = 15_000

export interface EventHandlers {
  onEvent: (name: string, data: string) => void
  onOpen?: () => void
  onLost?: () => void
}

/**
 * Listens, reconnecting whenever the connection is lost, until the returned function is called. The parameters are
 * computed for each connection, because they depend on the known state.
 */
export function listenTo(where: string, params: () => Params, handlers: EventHandlers): () => void {
  const end = new AbortController()
  void keepListening(() => address(where, params()), handlers, end.signal)
  return () => end.abort()
}

async function keepListening(url: () => string, handlers: EventHandlers, ended: AbortSignal): Promise<void> {
  let retry = FIRST_RETRY
  while (!ended.aborted) {
    const connection = new AbortController()
    const abort = () => connection.abort()
    ended.addEventListener('abort', abort)
    try {
      await listenOnce(url(), handlers, connection, () => (retry = FIRST_RETRY))
    } catch {
      // Lost, silent or ended: retried below unless it was closed.
    }
    ended.removeEventListener('abort', abort)
    connection.abort()
    if (ended.aborted) return
    handlers.onLost?.()
    await pause(retry, ended)
    retry = Math.min(retry * 2, LAST_RETRY)
  }
}

async function listenOnce(
  url: string,
  handlers: EventHandlers,
  connection: AbortController,
  opened: () => void,
): Promise<void> {
  let silence = setTimeout(() => connection.abort(), SILENCE)
  try {
    const headers = { accept: 'text/event-stream', ...keyHeader() }
    const response = await fetch(url, { headers, credentials: 'same-origin', signal: connection.signal })
    if (!response.ok || !response.body) return
    opened()
    handlers.onOpen?.()
    const parser = new EventParser(handlers.onEvent)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(silence)
      silence = setTimeout(() => connection.abort(), SILENCE)
      if (!connection.signal.aborted) parser.push(value)
    }
  } finally {
    clearTimeout(silence)
  }
}

/** Parses the text of a stream; comments keep the connection alive and are skipped. */
export class EventParser {
  private rest = ''
  private readonly onEvent: (name: string, data: string) => void

  constructor(onEvent: (name: string, data: string) => void) {
    this.onEvent = onEvent
  }

  push(text: string): void {
    const blocks = (this.rest + text).split(/\r?\n\r?\n/)
    this.rest = blocks.pop() ?? ''
    for (const block of blocks) this.dispatch(block)
  }

  private dispatch(block: string): void {
    let name = 'message'
    const data: string[] = []
    for (const line of block.split(/\r?\n/)) {
      const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      if (field === 'event') name = value ?? ''
      else if (field === 'data') data.push(value ?? '')
    }
    if (data.length > 0) this.onEvent(name, data.join('\n'))
  }
}

function pause(milliseconds: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    ended.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
