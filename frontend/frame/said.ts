/** Messages from the sandboxed page to the page around it: its height, its errors, and that it is ready. */

/** The height of the content, without the empty part of the window. */
export function contentHeight(): number {
  const body = document.body
  return Math.ceil(
    Math.max(body.scrollHeight === window.innerHeight ? 0 : body.scrollHeight, body.getBoundingClientRect().height),
  )
}

function say(message: Record<string, unknown>): void {
  // The parent's origin is unknown in an opaque one; these messages contain no secrets.
  window.parent.postMessage(message, '*')
}

/** Reports an error in words. */
export function sayError(problem: unknown): void {
  const plain = problem instanceof Error && problem.name === 'Error'
  const text = plain ? problem.message : String(problem)
  say({ talktree: 'error', text: text.slice(0, 2000) })
}

/** Reports the height now and whenever it changes, and every uncaught error. */
export function keepSaying(): void {
  window.addEventListener('error', (event) => sayError(event.error ?? event.message))
  window.addEventListener('unhandledrejection', (event) => sayError(event.reason))
  const start = (): void => {
    let last = -1
    const tell = (): void => {
      const height = contentHeight()
      if (height !== last) say({ talktree: 'height', value: (last = height) })
    }
    new ResizeObserver(tell).observe(document.body)
    tell()
    say({ talktree: 'ready' })
  }
  if (document.body) start()
  else document.addEventListener('DOMContentLoaded', start)
}
