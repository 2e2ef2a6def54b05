/** A plan that is made again whenever a conflict is resolved, until it is applied. */

import { useCallback, useEffect, useState } from 'react'
import { path, post } from '../../../data/api/client'
import type { ApplyResult, ErrorDetails, PlanPreview, NavigationRequest } from '../../../data/api/types'
import { useOpen } from '../../../data/conversation/ConversationProvider'
import { applyPlan } from '../../editing/edit'
import { useFault } from '../../editing/useFault'
import type { Choices } from './plan'

export interface Planning {
  plan: PlanPreview | null
  choices: Choices
  applied: ApplyResult | null
  fault: ErrorDetails | null
  busy: boolean
  choose: (choices: Choices) => void
  apply: () => void
}

/** Requests the plan of a move, and again with every choice; the digest identifies the plan that was shown. */
export function usePlan(travel: NavigationRequest): Planning {
  const open = useOpen()
  const { cid } = open
  const [plan, setPlan] = useState<PlanPreview | null>(null)
  const [choices, setChoices] = useState<Choices>(travel.choices ?? {})
  const [applied, setApplied] = useState<ApplyResult | null>(null)
  const { fault, show, fail, clear } = useFault()
  const [busy, setBusy] = useState(true)
  const { verb, to = null, what = 'both', into = null } = travel

  useEffect(() => {
    const asking = new AbortController()
    setBusy(true)
    post<PlanPreview>(path`/c/${cid}/session/plan`, { verb, to, what, choices, into }, asking.signal)
      .then((made) => (setPlan(made), clear(), setBusy(false)))
      .catch((problem: unknown) => {
        if (asking.signal.aborted) return
        show(problem)
        setBusy(false)
      })
    return () => asking.abort()
  }, [cid, verb, to, what, choices, into, show, clear])

  const apply = useCallback(() => {
    if (!plan) return
    setBusy(true)
    applyPlan(open, { verb, to, what, choices, into }, plan.digest)
      .then((done) => {
        setApplied(done)
        if (done.leaf) open.showLeaf(done.leaf)
      })
      .catch(fail)
      .finally(() => setBusy(false))
  }, [open, plan, verb, to, what, choices, into, fail])

  return { plan, choices, applied, fault, busy, choose: setChoices, apply }
}
