/** Which dialog of the work is open; one at a time. */

import type { Row, Travel } from '../api/types'
import { makeStore, useStore } from '../api/store'

export type WorkDialog =
  | { kind: 'share'; leaf?: string; ids?: string[] }
  | { kind: 'save' }
  | { kind: 'save-as' }
  | { kind: 'name-branch'; leaf?: string }
  | { kind: 'retype'; row: Row }
  | { kind: 'travel'; travel: Travel }
  | { kind: 'fix'; codes: string[] }

const dialog = makeStore<WorkDialog | null>(null)

export function useDialog(): WorkDialog | null {
  return useStore(dialog)
}

/** Open one, in place of another. */
export function openDialog(which: WorkDialog): void {
  dialog.set(which)
}

/** Close what is open. */
export function closeDialog(): void {
  dialog.set(null)
}
