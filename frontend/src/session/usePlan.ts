/** A plan that is made anew whenever a conflict is decided, until it is applied. */

import { useCallback, useEffect, useState } from 'react'
import { asApiError, path, post } from '../api/client'
import type { Applied, Fault, Plan, Travel } from '../api/types'
import { reload, useCurrent } from '../shell/current'
import type { Choices } from './plan'

export interface Planning {
  plan: Plan | null
  choices: Choices
  applied: Applied | null
  fault: Fault | null
  busy: boolean
  choose: (choices: Choices) => void
  apply: () => void
}

/** Asks for the plan of a travel, and again with every choice; the digest says which plan was seen. */
export function usePlan(travel: Travel): Planning {
  const { cid } = useCurrent()
  const [plan, setPlan] = useState<Plan | null>(null)
  const [choices, setChoices] = useState<Choices>(travel.choices ?? {})
  const [applied, setApplied] = useState<Applied | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const [busy, setBusy] = useState(true)
  const { verb, to = null, what = 'both', into = null } = travel

  useEffect(() => {
    if (!cid) return
    const asking = new AbortController()
    setBusy(true)
    post<Plan>(path`/c/${cid}/session/plan`, { verb, to, what, choices, into }, asking.signal)
      .then((made) => (setPlan(made), setFault(null), setBusy(false)))
      .catch((problem: unknown) => {
        if (asking.signal.aborted) return
        setFault(asApiError(problem).fault)
        setBusy(false)
      })
    return () => asking.abort()
  }, [cid, verb, to, what, choices, into])

  const apply = useCallback(() => {
    if (!cid || !plan) return
    setBusy(true)
    post<Applied>(path`/c/${cid}/session/apply`, { travel: { verb, to, what, choices, into }, digest: plan.digest })
      .then(async (done) => {
        setApplied(done)
        await reload(done.leaf ? { leaf: done.leaf } : undefined)
      })
      .catch((problem: unknown) => setFault(asApiError(problem).fault))
      .finally(() => setBusy(false))
  }, [cid, plan, verb, to, what, choices, into])

  return { plan, choices, applied, fault, busy, choose: setChoices, apply }
}
