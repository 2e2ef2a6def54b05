/** Whether this studio only shows. */

import type { About } from '../api/types'
import { useGet } from '../api/use'

/** False until it is known; the server refuses in any case. */
export function useReadOnly(): boolean {
  return useGet<About>('/about').data?.read_only ?? false
}
