// The reader's last place in each conversation, stored in this browser.

import { recall, remember } from '../../lib/storage'

export interface LastPlace {
  /** The file of the conversation: an id may mean another one in another library. */
  path: string
  /** The branch; null is the current one. */
  leaf: string | null
  /** The message at the top of the window, or the selected one. */
  id: string
  selected: boolean
}

const MEMORY = 'talktree.places'
const MOST = 200
/** Minimum interval at which scrolling is stored. */
const REST = 300

const places = new Map<string, LastPlace>(read(recall(MEMORY)))
let waiting: ReturnType<typeof setTimeout> | undefined

/** Returns the valid part of the stored value. */
export function read(kept: unknown): [string, LastPlace][] {
  if (!Array.isArray(kept)) return []
  return kept.filter(isEntry).slice(-MOST)
}

function isEntry(entry: unknown): entry is [string, LastPlace] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
  const place = entry[1] as Partial<Record<keyof LastPlace, unknown>> | null
  return (
    typeof place === 'object' &&
    place !== null &&
    typeof place.path === 'string' &&
    (place.leaf === null || typeof place.leaf === 'string') &&
    typeof place.id === 'string' &&
    typeof place.selected === 'boolean'
  )
}

export function lastPlace(cid: string): LastPlace | null {
  return places.get(cid) ?? null
}

/** Stores the reader's place; null for the default place. */
export function notePlace(cid: string, place: LastPlace | null): void {
  if (place === null && !places.has(cid)) return
  places.delete(cid)
  if (place !== null) places.set(cid, place)
  if (places.size > MOST) places.delete(places.keys().next().value as string)
  waiting ??= setTimeout(write, REST)
}

function write(): void {
  clearTimeout(waiting)
  waiting = undefined
  remember(MEMORY, [...places])
}

addEventListener('pagehide', () => {
  if (waiting !== undefined) write()
})
