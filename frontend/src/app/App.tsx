// The whole page: login, the open content, and the overlays.

import { useEffect, useState } from 'react'
import { lost, useConnection } from '../data/api/connection'
import { get } from '../data/api/client'
import { invalidate, useGet } from '../data/api/use'
import type { StudioInfo } from '../data/api/types'
import { ImportHost } from '../features/importing/ImportHost'
import { LibraryKeys } from '../features/library/LibraryKeys'
import { handle } from '../ui/keys/registry'
import { loadPartsWhenIdle } from '../ui/overlay/lazyPart'
import { PaletteKeys } from '../features/search/openPalette'
import WorkHost from './WorkHost'
import { ConversationProvider } from '../data/conversation/ConversationProvider'
import { ErrorBoundary } from '../ui/ErrorBoundary'
import { BrowserKeys } from './browserCommand'
import { HelpKeys } from './Help'
import { Layout } from './Layout'
import { LockKeys, LockWatch } from './Lock'
import { login, watchForToken } from './login'
import { Doorstep } from './Doorstep'
import { UnlockPage } from './UnlockPage'
import { Toasts } from '../ui/Toast'

export function App({ token }: { token: string | null }) {
  const [entered, setEntered] = useState(token === null)
  const connection = useConnection()
  useEffect(() => {
    if (token === null) return
    // In either case, the next request shows whether it worked.
    login(token)
      .catch(() => lost('login'))
      .finally(() => setEntered(true))
  }, [token])
  useEffect(watchForToken, [])
  useEffect(() => {
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [])
  if (!entered) return <main className="doorstep" aria-busy="true" />
  return (
    <ErrorBoundary what="The studio">
      {connection === 'login' ? <Doorstep /> : connection === 'locked' ? <UnlockPage /> : <Studio />}
      <Toasts />
    </ErrorBoundary>
  )
}

function Studio() {
  const about = useGet<StudioInfo>('/about')
  useReconnect()
  useEffect(loadPartsWhenIdle, [])
  if (!about.data && about.error) return <Doorstep error={about.error} />
  return (
    <ConversationProvider>
      <Layout about={about.data ?? null} />
      <PaletteKeys />
      <ImportHost about={about.data ?? null} />
      <HelpKeys />
      <BrowserKeys readOnly={about.data?.read_only ?? true} />
      <WorkHost />
      <LibraryKeys />
      {about.data?.encrypted && (
        <>
          <LockWatch />
          <LockKeys />
        </>
      )}
    </ConversationProvider>
  )
}

const RETRY = 2000

/** While the server does not answer, retries regularly; the first answer restores the page. */
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
