/** Whether this studio only shows. */

import { peek } from './api/cache'
import type { StudioInfo } from './api/types'
import { useGet } from './api/use'

/** False until it is known; the server refuses in any case. */
export function useReadOnly(): boolean {
  return useGet<StudioInfo>('/about').data?.read_only ?? false
}

/** The same, for what runs when a key is pressed. */
export function isReadOnly(): boolean {
  return peek<StudioInfo>('/about')?.read_only ?? false
}
