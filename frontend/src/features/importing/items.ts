// The list of uploads.

import { makeStore } from '../../lib/store'
import type { JobState, Upload } from '../../data/api/types'

export interface Item {
  id: number
  name: string
  folder: boolean
  size: number
  state: 'waiting' | 'sending' | 'ready' | 'unknown' | 'keeping' | 'kept' | 'failed'
  sent: number
  upload: Upload | null
  /** The format it is kept in; null keeps it as it is. */
  to: string | null
  job: JobState | null
  /** Whether it was cancelled just before it was kept. */
  unwanted: boolean
  trouble: string
}

/** Null while there are no uploads. */
export const items = makeStore<readonly Item[] | null>(null)
/** The running import of places. */
export const importJob = makeStore<string | null>(null)
