// Shown while there are no rows: loading, empty, or an error.

import { useSyncExternalStore } from 'react'
import { Button } from '../../ui/Button'
import { useConversation, useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import { Empty } from '../../ui/Empty'
import { go } from '../../lib/router'
import Composer from '../editing/Composer'
import type { List } from './list'
import { Skeleton } from './Skeleton'
import { estimate, useView } from './view'

const silent = () => () => undefined

export function Nothing({ list }: { list: List | null }) {
  const { error, conversation } = useConversation()
  const view = useView()
  const open = useOpen()
  const writing = useLocal((local) => local.writing)
  useSyncExternalStore(list?.pages.subscribe ?? silent, list?.pages.snapshot ?? (() => 0))
  const wrong = error ?? list?.pages.error
  if (wrong) {
    return (
      <Empty
        icon="error"
        title="This conversation cannot be shown"
        action={
          <>
            <Button onClick={() => (open.refresh(), list?.pages.retry())}>Try again</Button>{' '}
            <Button onClick={() => go({})}>To the overview</Button>
          </>
        }
      >
        {wrong instanceof Error ? wrong.message : String(wrong)}
      </Empty>
    )
  }
  if (list?.filtered) {
    return (
      <Empty
        icon="filter"
        title="No message passes the filter"
        action={<Button onClick={() => open.narrow([])}>Take the filter off</Button>}
      />
    )
  }
  if (conversation && list && !list.tail) {
    return (
      <>
        <Empty icon="message" title="This conversation has no messages" />
        {writing && <Composer />}
      </>
    )
  }
  return (
    <div className="conv-waiting" role="status" aria-label="Loading the conversation">
      {[0, 1, 2, 3, 4].map((number) => (
        <Skeleton key={number} height={estimate(view.layout)} />
      ))}
    </div>
  )
}
