// Asks while somebody types: after a rest, and never for two questions at once.

import { useEffect, useState } from 'react'
import { asApiError, get, isAbort, type ApiError } from '../../data/api/client'
import type { Card, Found, Listed } from '../../data/api/types'

export interface Results {
  /** What was asked. */
  text: string
  found: Found | null
  titles: readonly Card[]
  error: ApiError | null
  loading: boolean
}

const NOTHING: Results = { text: '', found: null, titles: [], error: null, loading: false }
const REST = 140
const HITS = 40
const TITLES = 6

export function useFound(text: string): Results {
  const [results, setResults] = useState<Results>(NOTHING)
  useEffect(() => {
    const asked = text.trim()
    if (asked === '') return setResults(NOTHING)
    setResults((now) => ({ ...now, loading: true }))
    const asking = new AbortController()
    const timer = setTimeout(() => void ask(asked, asking.signal).then((made) => made && setResults(made)), REST)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [text])
  return results
}

/** Titles do not know the fields of a query, and a query may be half typed: one may fail without the other. */
async function ask(text: string, signal: AbortSignal): Promise<Results | null> {
  const [hits, titles] = await Promise.allSettled([
    get<Found>('/search', { query: text, limit: HITS }, signal),
    get<Listed>('/conversations', { text, limit: TITLES }, signal),
  ])
  if (signal.aborted || (hits.status === 'rejected' && isAbort(hits.reason))) return null
  return {
    text,
    found: hits.status === 'fulfilled' ? hits.value : null,
    titles: titles.status === 'fulfilled' ? titles.value.cards : [],
    error: hits.status === 'rejected' ? asApiError(hits.reason) : null,
    loading: false,
  }
}
