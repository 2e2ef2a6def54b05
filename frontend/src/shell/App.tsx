// The whole page: coming in, what is open, and what lies over everything.

import { useEffect, useState } from 'react'
import { lost, useConnection } from '../api/connection'
import { get } from '../api/client'
import { invalidate, useGet } from '../api/use'
import type { About } from '../api/types'
import { ImportHost } from '../importing/ImportHost'
import { handle } from '../keys/registry'
import { PaletteHost } from '../search/PaletteHost'
import WorkHost from '../work/WorkHost'
import { openRoute } from './current'
import { ErrorBoundary } from './ErrorBoundary'
import { HelpHost } from './HelpHost'
import { Layout } from './Layout'
import { login, watchForToken } from './login'
import { Doorstep } from './Doorstep'
import { useRoute } from './router'
import { Toasts } from './Toast'

export function App({ token }: { token: string | null }) {
  const [entered, setEntered] = useState(token === null)
  const connection = useConnection()
  useEffect(() => {
    if (token === null) return
    // Whether it worked or not: what comes next asks the server and says what is wrong.
    login(token).catch(() => lost('login')).finally(() => setEntered(true))
  }, [token])
  useEffect(watchForToken, [])
  useEffect(() => {
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [])
  if (!entered) return <main className="doorstep" aria-busy="true" />
  return (
    <ErrorBoundary what="The studio">
      {connection === 'login' ? <Doorstep /> : <Studio />}
      <Toasts />
    </ErrorBoundary>
  )
}

function Studio() {
  const route = useRoute()
  const about = useGet<About>('/about')
  useReconnect()
  useEffect(() => {
    openRoute(route)
  }, [route])
  if (!about.data && about.error) return <Doorstep error={about.error} />
  return (
    <>
      <Layout about={about.data ?? null} />
      <PaletteHost />
      <ImportHost about={about.data ?? null} />
      <HelpHost />
      <WorkHost />
    </>
  )
}

const RETRY = 2000

/** While nobody answers, asks again every now and then; the first answer sets things right. */
function useReconnect(): void {
  const gone = useConnection() === 'gone'
  useEffect(() => {
    if (!gone) return
    const timer = setInterval(() => void get('/about').catch(() => undefined), RETRY)
    return () => {
      clearInterval(timer)
      invalidate('/')
    }
  }, [gone])
}
