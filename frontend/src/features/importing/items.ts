// The files that are being brought in.

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
  /** Whether somebody stopped it while it was about to be kept. */
  unwanted: boolean
  trouble: string
}

/** None while nothing is brought in. */
export const items = makeStore<readonly Item[] | null>(null)
/** The import of places that goes on. */
export const importJob = makeStore<string | null>(null)
