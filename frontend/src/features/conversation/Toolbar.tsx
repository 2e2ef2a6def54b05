// The line above the rows: layout, filter, thinking, follow.

import { useSyncExternalStore } from 'react'
import { Button } from '../../ui/Button'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { useRoute } from '../../lib/router'
import { Menu } from '../../ui/Menu'
import { useLiveDot } from '../live/live'
import type { List } from './list'
import { changeView, LAYOUTS, useView } from './view'
import { switchThinking } from './useConversationKeys'
import { many } from '../../lib/words'

const silent = () => () => undefined

export function Toolbar({ list }: { list: List | null }) {
  const view = useView()
  const { show } = useRoute()
  const { follow, conversation } = useConversation()
  const open = useOpen()
  const live = useLiveDot()
  useSyncExternalStore(list?.pages.subscribe ?? silent, list?.pages.snapshot ?? (() => 0))
  const count = list && !list.tail ? list.pages.total : null
  return (
    <div className="conv-toolbar" role="toolbar" aria-label="View">
      <span className="conv-count" title="Results stand with their calls, so there are fewer rows than messages">
        {count === null ? ' ' : list?.filtered ? `${many(count, 'row')} pass the filter` : many(count, 'row')}
      </span>
      <span className="conv-space" />
      <Button
        small
        kind="quiet"
        icon="filter"
        label="Filter"
        shortcut="F"
        pressed={view.filtering || show.length > 0}
        onClick={() => changeView({ filtering: !view.filtering })}
      />
      <Button
        small
        kind="quiet"
        icon="thinking"
        label="Show thinking"
        shortcut="t"
        pressed={view.thinking}
        onClick={() => switchThinking(open)}
      />
      <Menu
        small
        label="Layout"
        icon="list"
        items={LAYOUTS.map((name) => ({
          key: name,
          text: name[0]?.toUpperCase() + name.slice(1),
          checked: view.layout === name,
          run: () => changeView({ layout: name }),
        }))}
      />
      <Button
        small
        kind="quiet"
        icon="follow"
        label={follow ? 'Following what comes' : 'Follow what comes'}
        shortcut="f"
        pressed={follow}
        onClick={() => open.setFollow(!follow)}
      />
      {(live === 'growing' || conversation?.live) && (
        <span
          className={`conv-live conv-live-${live}`}
          title={live === 'growing' ? 'It is growing' : 'It grew a short while ago'}
        >
          live
        </span>
      )}
    </div>
  )
}
