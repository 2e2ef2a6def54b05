// Questions to the server as hooks.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { invalidate, queries, question } from './cache'
import { asApiError, type ApiError, type Params } from './client'

export { invalidate }

export interface Got<T> {
  data: T | undefined
  error: ApiError | null
  loading: boolean
  again: () => void
}

/** The answer to a question; null asks nothing. With `keep` the last answer stays until the next one is there. */
export function useGet<T>(where: string | null, params?: Params, options?: { keep?: boolean }): Got<T> {
  const asked = { ...question<T>(where ?? '', params), enabled: where !== null }
  const { data, error, isFetching, refetch } = useQuery(
    options?.keep ? { ...asked, placeholderData: keepPreviousData } : asked,
    queries,
  )
  return { data, error: error === null ? null : asApiError(error), loading: isFetching, again: () => void refetch() }
}
