// The document's title, which is used for the tab, the history and bookmarks. Browsers store their history on disk, so
// it does not contain the title of a conversation in an encrypted library.

import { useEffect } from 'react'
import type { StudioInfo } from '../data/api/types'
import { useGet } from '../data/api/use'
import { useConversation } from '../data/conversation/ConversationProvider'

const STUDIO = 'Talktree studio'

export function useDocumentTitle(): void {
  const { cid, conversation, error } = useConversation()
  const about = useGet<StudioInfo>('/about').data
  const missing = error !== null && conversation === null
  const mayBeKept = about !== undefined && !about.encrypted
  const title = !mayBeKept ? '' : cid === null ? 'Overview' : missing ? 'Not found' : (conversation?.title ?? '')
  useEffect(() => {
    document.title = title ? `${title} · ${STUDIO}` : STUDIO
    return () => {
      document.title = STUDIO
    }
  }, [title])
}
