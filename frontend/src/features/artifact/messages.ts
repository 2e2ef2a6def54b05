/** The messages that a running artifact may send to the page. All others are ignored. */

export type FrameMessage =
  | { talktree: 'height'; value: number }
  | { talktree: 'error'; text: string }
  | { talktree: 'ready' }

export const LEAST_HEIGHT = 32
export const MOST_HEIGHT = 1200
const MOST_TEXT = 2000

/** Returns a message in its known shape with nothing else in it, or null. */
export function heard(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'talktree')) return null
  const said = data as { talktree: unknown; value?: unknown; text?: unknown }
  if (said.talktree === 'ready') return { talktree: 'ready' }
  if (said.talktree === 'height') {
    return typeof said.value === 'number' && Number.isFinite(said.value)
      ? { talktree: 'height', value: clamped(said.value) }
      : null
  }
  if (said.talktree !== 'error' || typeof said.text !== 'string') return null
  return { talktree: 'error', text: said.text.slice(0, MOST_TEXT) }
}

/** Returns a height that can neither vanish nor push everything else away. */
export function clamped(height: number): number {
  return Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.ceil(height)))
}
