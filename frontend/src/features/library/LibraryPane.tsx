// All conversations: filters, and the list.

import { useEffect, useRef } from 'react'
import { asSentence } from '../../data/api/client'
import type { StudioInfo } from '../../data/api/types'
import { chooseFiles, importPlaces } from '../importing/imports'
import { Button } from '../../ui/Button'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { Empty } from '../../ui/Empty'
import { Icon } from '../../ui/Icon'
import { closeSheet } from '../../ui/panes'
import { go, hrefOf, useRoute } from '../../lib/router'
import { count } from '../../lib/saying'
import { CardList } from './CardList'
import { show, useCards } from '../../data/cards'
import { FilterBar, SortChoice } from './FilterBar'
import { isNarrowed, setFilters } from './filters'
import { useDebounced } from './useDebounced'
import { useRefresh } from './useRefresh'
import './library.css'

export function LibraryPane({ about }: { about: StudioInfo | null }) {
  const { filters } = useRoute()
  const asked = useDebounced(filters, 120)
  const { cid } = useConversation()
  const cards = useCards()
  const seen = useRef<[number, number]>([0, 0])
  const textBox = useRef<HTMLInputElement>(null)
  useEffect(() => {
    show(asked)
  }, [asked])
  useRefresh(seen, Boolean(about?.job))
  const narrowed = isNarrowed(filters)
  return (
    <div className="library">
      <FilterBar ref={textBox} filters={filters} formats={cards.formats} projects={cards.projects} about={about} />
      <div className="library-total">
        <span role="status">{cards.total === null ? '' : count(cards.total, 'conversation')}</span>
        {narrowed && (
          <Button kind="quiet" small onClick={() => setFilters({ format: '', project: '', text: '' })}>
            Clear filters
          </Button>
        )}
        <SortChoice sort={filters.sort} />
      </div>
      {about !== null && about.library.failures > 0 && (
        <a className="library-failures" href={hrefOf({})}>
          <Icon name="warning" size={13} /> {count(about.library.failures, 'file')} not imported, or only in part
        </a>
      )}
      {about?.retention && (
        <p className="library-notice" role="status">
          <Icon name="warning" size={13} /> <span>{asSentence(about.retention)}.</span>
        </p>
      )}
      {cards.error && (
        <p className="library-trouble" role="alert">
          {cards.error.fault.message}
        </p>
      )}
      {cards.total === 0 ? (
        <Nothing narrowed={narrowed} about={about} />
      ) : (
        <CardList
          cards={cards}
          cid={cid}
          formats={about?.formats ?? []}
          onOpen={open}
          onSeen={(first, last) => (seen.current = [first, last])}
        />
      )}
    </div>
  )
}

function open(cid: string): void {
  closeSheet()
  go({ cid })
}

function Nothing({ narrowed, about }: { narrowed: boolean; about: StudioInfo | null }) {
  if (narrowed) {
    return (
      <Empty icon="filter" title="Nothing matches">
        Take a filter away, or search what was said with Ctrl K.
      </Empty>
    )
  }
  if (about?.job)
    return (
      <Empty icon="import" title="Being taken in">
        Conversations appear here as they are read.
      </Empty>
    )
  const actions = about?.read_only ? undefined : (
    <>
      <Button kind="primary" icon="import" onClick={() => chooseFiles()}>
        Choose files
      </Button>
      <Button onClick={() => void importPlaces(true)}>Import known places</Button>
    </>
  )
  return (
    <Empty icon="message" title="No conversations yet" action={actions}>
      Drop files anywhere on this page, or take in what the programs on this machine have kept.
    </Empty>
  )
}
