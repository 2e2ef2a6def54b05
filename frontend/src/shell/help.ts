// Whether the help is open.

import { makeStore } from '../api/store'

export const helpOpen = makeStore(false)

export function openHelp(): void {
  helpOpen.set(true)
}
