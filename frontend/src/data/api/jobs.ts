// Long-running jobs on the server. The query cache holds the state of each job and polls it until the job ends.

import { QueryObserver, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { keyOf, queries, question } from './cache'
import { asApiError, path, post } from './client'
import type { JobState } from './types'

const EVERY = 400

/** The query of a job: polled, also while the server is away, until the job ends or is unknown. */
function jobQuery(id: string) {
  return {
    ...question<JobState>(addressOf(id)),
    refetchInterval: ({ state }: { state: { data?: JobState; error: unknown } }) => (isOver(state) ? false : EVERY),
    refetchIntervalInBackground: true,
  }
}

function isOver({ data, error }: { data?: JobState; error: unknown }): boolean {
  const refused = error !== null && asApiError(error).status !== 0
  return refused || (data !== undefined && data.state !== 'running')
}

/** Follows a job to its end and returns its newest known state. */
export function useJob(id: string | null, onEnd?: (job: JobState) => void): JobState | null {
  const { data } = useQuery({ ...jobQuery(id ?? ''), enabled: id !== null }, queries)
  const job = id === null ? null : (data ?? null)
  const ended = job !== null && job.state !== 'running' ? job : null
  const callback = useRef(onEnd)
  useEffect(() => {
    callback.current = onEnd
  })
  useEffect(() => {
    if (ended) callback.current?.(ended)
  }, [ended])
  return job
}

/** The same for code outside of components, from the currently known state. */
export function follow(id: string, onStep: (job: JobState) => void, onEnd: (job: JobState) => void): void {
  const observer = new QueryObserver<JobState>(queries, jobQuery(id))
  let last: JobState | undefined
  const take = (data: JobState | undefined): void => {
    if (data === undefined || data === last) return
    last = data
    onStep(data)
    if (data.state === 'running') return
    stop()
    onEnd(data)
  }
  const stop = observer.subscribe(({ data }) => take(data))
  take(observer.getCurrentResult().data)
}

/** Starts a job and returns its first state. */
export async function startJob(where: string, body: object): Promise<JobState> {
  return put(await post<JobState>(where, body))
}

export async function cancelJob(id: string): Promise<JobState> {
  return put(await post<JobState>(path`/jobs/${id}/cancel`))
}

function put(job: JobState): JobState {
  queries.setQueryData(keyOf(addressOf(job.id)), job)
  return job
}

function addressOf(id: string): string {
  return path`/jobs/${id}`
}
