// Queries to the server as hooks.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { invalidate, posedQuestion, queries, question } from './cache'
import { asApiError, type ApiError, type Params } from './client'

export { invalidate }

export interface Got<T> {
  data: T | undefined
  error: ApiError | null
  loading: boolean
  again: () => void
}

/**
 * Returns the answer to a query; null requests nothing. With `keep` the last answer stays until the next one arrives.
 */
export function useGet<T>(where: string | null, params?: Params, options?: { keep?: boolean }): Got<T> {
  const asked = { ...question<T>(where ?? '', params), enabled: where !== null }
  const { data, error, isFetching, refetch } = useQuery(
    options?.keep ? { ...asked, placeholderData: keepPreviousData } : asked,
    queries,
  )
  return { data, error: error === null ? null : asApiError(error), loading: isFetching, again: () => void refetch() }
}

/** The same for a query with a body; the last answer stays until the next one arrives. */
export function usePosed<T>(where: string | null, body: object): Got<T> {
  const asked = { ...posedQuestion<T>(where ?? '', body), enabled: where !== null, placeholderData: keepPreviousData }
  const { data, error, isFetching, refetch } = useQuery(asked, queries)
  return {
    data: data as T | undefined,
    error: error === null ? null : asApiError(error),
    loading: isFetching,
    again: () => void refetch(),
  }
}
