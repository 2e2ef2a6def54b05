// Errors of a change that a dialog requested.

import { useCallback, useEffect, useRef, useState } from 'react'
import { asApiError } from '../../data/api/client'
import type { ErrorDetails } from '../../data/api/types'
import { useOpen } from '../../data/conversation/ConversationProvider'
import { reportProblem } from './edit'

interface FaultOfDialog {
  fault: ErrorDetails | null
  /** Shows in the dialog why a query failed. */
  show: (problem: unknown) => void
  /** Shows in the dialog why a change failed, or as a toast if the dialog is closed by now. */
  fail: (problem: unknown) => void
  clear: () => void
}

export function useFault(): FaultOfDialog {
  const open = useOpen()
  const [fault, setFault] = useState<ErrorDetails | null>(null)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => void (isShown.current = false)
  }, [])
  const show = useCallback((problem: unknown) => setFault(asApiError(problem).fault), [])
  const fail = useCallback(
    (problem: unknown) => {
      if (!isShown.current) return reportProblem(open, problem)
      show(problem)
      if (asApiError(problem).fault.stamp) open.refresh()
    },
    [open, show],
  )
  return { fault, show, fail, clear: useCallback(() => setFault(null), []) }
}
