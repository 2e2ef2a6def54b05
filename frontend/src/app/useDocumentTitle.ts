// The title of the document: what a tab of the browser, its history and a bookmark are called.

import { useEffect } from 'react'
import { useConversation } from '../data/conversation/ConversationProvider'

const STUDIO = 'Talktree studio'

export function useDocumentTitle(): void {
  const { cid, conversation, error } = useConversation()
  const missing = error !== null && conversation === null
  const title = cid === null ? 'Overview' : missing ? 'Not found' : (conversation?.title ?? '')
  useEffect(() => {
    document.title = title ? `${title} · ${STUDIO}` : STUDIO
    return () => {
      document.title = STUDIO
    }
  }, [title])
}
