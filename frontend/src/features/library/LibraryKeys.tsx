// The keys of the library, also while it is hidden.

import { useConversation } from '../../data/conversation/ConversationProvider'
import { knownCards, neighbourOf, show } from '../../data/cards'
import { go, useRoute } from '../../lib/router'
import { useKeys } from '../../ui/keys/use'
import { openLeft } from '../../ui/panes'

export function LibraryKeys(): null {
  const { cid } = useConversation()
  const { filters } = useRoute()
  const refuse = (by: number) => (): string | null => {
    if (neighbourOf(cid, by)) return null
    if (knownCards().total !== null)
      return by > 0 ? 'There is no next conversation.' : 'There is no previous conversation.'
    show(filters)
    return 'The library is still loading.'
  }
  const step = (by: number) => (): void => {
    const next = neighbourOf(cid, by)
    if (next) go({ cid: next.cid })
  }
  useKeys([
    { keys: ']', text: 'Next conversation', group: 'Library', refuse: refuse(1), run: step(1) },
    { keys: '[', text: 'Previous conversation', group: 'Library', refuse: refuse(-1), run: step(-1) },
    { keys: 'Mod+Shift+L', text: 'Narrow the library', group: 'Library', run: narrow },
  ])
  return null
}

/** The field may have to be shown first. */
function narrow(): void {
  const field = (): HTMLElement | null => document.querySelector('.library input[type=search]')
  if (!field()) openLeft('library')
  if (field()) field()?.focus()
  else requestAnimationFrame(() => field()?.focus())
}
