/** Starts a job from a dialog, and follows it while the dialog is open. */

import { useCallback, useState } from 'react'
import { BASE, asApiError, path } from '../../data/api/client'
import { cancelJob, startJob, useJob } from '../../data/api/jobs'
import type { ErrorDetails, JobState } from '../../data/api/types'

export interface Work {
  job: JobState | null
  fault: ErrorDetails | null
  running: boolean
  start: (where: string, body: object) => Promise<void>
  cancel: () => void
  forget: () => void
}

/** Returns the download address of a job's file. */
export function fileOf(job: JobState): string {
  return BASE + path`/jobs/${job.id}/file`
}

/** One job at a time; closing the dialog ends the following, not the job. */
export function useWork(): Work {
  const [id, setId] = useState<string | null>(null)
  const [fault, setFault] = useState<ErrorDetails | null>(null)
  const [asking, setAsking] = useState(false)
  const job = useJob(id)

  const forget = useCallback(() => {
    setId(null)
    setFault(null)
  }, [])

  const start = useCallback(
    async (where: string, body: object) => {
      forget()
      setAsking(true)
      try {
        setId((await startJob(where, body)).id)
      } catch (problem) {
        setFault(asApiError(problem).fault)
      } finally {
        setAsking(false)
      }
    },
    [forget],
  )

  const cancel = useCallback(() => {
    if (id) cancelJob(id).catch((problem: unknown) => setFault(asApiError(problem).fault))
  }, [id])

  const running = asking || job?.state === 'running'
  return { job, fault: fault ?? job?.error ?? null, running, start, cancel, forget }
}
