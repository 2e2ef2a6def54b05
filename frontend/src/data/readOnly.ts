/** Whether this studio is read-only. */

import { peek } from './api/cache'
import type { StudioInfo } from './api/types'
import { useGet } from './api/use'

/** False until it is known; the server refuses changes in any case. */
export function useReadOnly(): boolean {
  return useGet<StudioInfo>('/about').data?.read_only ?? false
}

/** The same, for key handlers. */
export function isReadOnly(): boolean {
  return peek<StudioInfo>('/about')?.read_only ?? false
}
