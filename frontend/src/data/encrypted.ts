/** Whether the library is encrypted: then what is in it must not be written to the disk by the browser. */

import { peek } from './api/cache'
import type { StudioInfo } from './api/types'

/** True also until it is known. */
export function isEncrypted(): boolean {
  return peek<StudioInfo>('/about')?.encrypted ?? true
}
