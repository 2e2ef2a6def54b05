// Whether a block is open, in the open conversation.

import { useSyncExternalStore } from 'react'
import { useOpen } from '../../data/conversation/ConversationProvider'

/** Returns the reader's choice, or the default. */
export function useFold(key: string, open: boolean): [boolean, () => void] {
  const { folds } = useOpen()
  const now = useSyncExternalStore(folds.subscribe, () => folds.get(key)) ?? open
  return [now, () => folds.set(key, !now)]
}
