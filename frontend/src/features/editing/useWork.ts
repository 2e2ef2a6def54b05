/** Starting long work, and looking after it while somebody looks. */

import { useCallback, useEffect, useRef, useState } from 'react'
import { BASE, asApiError, path, post } from '../../data/api/client'
import { cancelJob, follow } from '../../data/api/jobs'
import type { Fault, Job } from '../../data/api/types'

export interface Work {
  job: Job | null
  fault: Fault | null
  running: boolean
  start: (where: string, body: object) => Promise<void>
  cancel: () => void
  forget: () => void
}

/** Where the file a job made can be had. */
export function fileOf(job: Job): string {
  return BASE + path`/jobs/${job.id}/file`
}

/** One job at a time; going away ends the looking, not the job. */
export function useWork(): Work {
  const [job, setJob] = useState<Job | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const [asking, setAsking] = useState(false)
  const stop = useRef<() => void>(() => undefined)
  useEffect(() => () => stop.current(), [])

  const forget = useCallback(() => {
    stop.current()
    setJob(null)
    setFault(null)
  }, [])

  const start = useCallback(
    async (where: string, body: object) => {
      forget()
      setAsking(true)
      try {
        const begun = await post<Job>(where, body)
        setJob(begun)
        if (begun.state === 'running') stop.current = follow(begun.id, setJob)
      } catch (problem) {
        setFault(asApiError(problem).fault)
      } finally {
        setAsking(false)
      }
    },
    [forget],
  )

  const cancel = useCallback(() => {
    if (job) void cancelJob(job.id).then(setJob, (problem) => setFault(asApiError(problem).fault))
  }, [job])

  const running = asking || job?.state === 'running'
  return { job, fault: fault ?? job?.error ?? null, running, start, cancel, forget }
}
