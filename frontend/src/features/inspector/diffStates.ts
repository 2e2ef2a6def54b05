/** The text shown where there is nothing to compare. */

import type { FileDiff } from '../../data/api/types'

export const STATES: Record<FileDiff['state'], string> = {
  text: '',
  same: 'Nothing differs between these two points.',
  binary: 'This file is not text. Its content is kept, but not shown.',
  missing: 'The content is not at hand: there is no snapshot of it, and no call holds all of it.',
  created: 'The file was created here.',
  deleted: 'The file was deleted here.',
}
