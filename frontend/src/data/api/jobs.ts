// Work that takes long: looked after until it ends.

import { useEffect, useState } from 'react'
import { asApiError, get, path, post } from './client'
import type { Job } from './types'

const EVERY = 400

/** Follows a job to its end; gives the last that is known of it. */
export function useJob(id: string | null, onEnd?: (job: Job) => void): Job | null {
  const [job, setJob] = useState<Job | null>(null)
  useEffect(() => {
    setJob(null)
    if (id === null) return
    return follow(id, setJob, onEnd)
    // oxlint-disable-next-line react/exhaustive-deps -- the callback may be made anew with each render
  }, [id])
  return job
}

/** Asks every now and then; the function that it gives stops the asking, not the job. */
export function follow(id: string, onStep: (job: Job) => void, onEnd?: (job: Job) => void): () => void {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const step = async (): Promise<void> => {
    try {
      const job = await get<Job>(path`/jobs/${id}`)
      if (stopped) return
      onStep(job)
      if (job.state !== 'running') return onEnd?.(job)
    } catch (error) {
      if (stopped || asApiError(error).status !== 0) return
    }
    timer = setTimeout(() => void step(), EVERY)
  }
  void step()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

export function cancelJob(id: string): Promise<Job> {
  return post<Job>(path`/jobs/${id}/cancel`)
}
