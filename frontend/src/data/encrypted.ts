/** Whether the library is encrypted: then the browser must not write its content to disk. */

import { peek } from './api/cache'
import type { StudioInfo } from './api/types'

/** Also true until it is known. */
export function isEncrypted(): boolean {
  return peek<StudioInfo>('/about')?.encrypted ?? true
}
