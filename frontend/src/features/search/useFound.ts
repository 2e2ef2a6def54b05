// Searches while you type: after a pause, and one query at a time.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries } from '../../data/api/cache'
import { asApiError, get, type ApiError } from '../../data/api/client'
import type { Card, SearchResults, CardList } from '../../data/api/types'

export interface Results {
  /** The query text. */
  text: string
  found: SearchResults | null
  titles: readonly Card[]
  error: ApiError | null
  loading: boolean
}

type Answer = Omit<Results, 'loading'>

const NOTHING: Answer = { text: '', found: null, titles: [], error: null }
const REST = 140
const HITS = 40
const TITLES = 6

export function useFound(text: string): Results {
  const wanted = text.trim()
  const asked = useRested(wanted)
  const { data, isFetching } = useQuery(
    {
      queryKey: ['/search', { query: asked, limit: HITS, titles: TITLES }],
      queryFn: ({ signal }) => ask(asked, signal),
      enabled: asked !== '',
      // Something may have been imported since; previous results are shown until the new ones arrive.
      staleTime: 0,
      placeholderData: keepPreviousData,
    },
    queries,
  )
  if (wanted === '') return { ...NOTHING, loading: false }
  return { ...(data ?? NOTHING), loading: isFetching || asked !== wanted }
}

/** Returns a text once it has not changed for a moment; an empty one immediately. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), text === '' ? 0 : REST)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

/** Titles do not support the fields of a query, and a query may be incomplete: one may fail without the other. */
async function ask(text: string, signal: AbortSignal): Promise<Answer> {
  const [hits, titles] = await Promise.allSettled([
    get<SearchResults>('/search', { query: text, limit: HITS }, signal),
    get<CardList>('/conversations', { text, limit: TITLES }, signal),
  ])
  signal.throwIfAborted()
  return {
    text,
    found: hits.status === 'fulfilled' ? hits.value : null,
    titles: titles.status === 'fulfilled' ? titles.value.cards : [],
    error: hits.status === 'rejected' ? asApiError(hits.reason) : null,
  }
}
