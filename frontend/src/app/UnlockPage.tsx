// Shown instead of the studio while an encrypted library is locked. The passphrase is only ever in its field and in the
// request: the field is emptied before the answer arrives.

import { useEffect, useRef, useState, type FormEvent } from 'react'
import { asApiError, askLock, unlock } from '../data/api/client'
import type { LockState } from '../data/api/types'
import { Button } from '../ui/Button'
import { Icon } from '../ui/Icon'
import { leaveShown } from './Lock'
import './doorstep.css'

const EVERY = 1000

export function UnlockPage() {
  const [state, setState] = useState<LockState | null>(null)
  useEffect(() => {
    leaveShown()
    document.title = 'Locked · Talktree studio'
    const look = () => void askLock().then((now) => (now.locked ? setState(now) : showStudio()), ignore)
    look()
    const timer = setInterval(look, EVERY)
    return () => clearInterval(timer)
  }, [])
  return (
    <main className="doorstep" aria-busy={state === null}>
      <div className="doorstep-box">
        <h1 className="doorstep-title">
          <Icon name="lock" size={22} /> The library is locked
        </h1>
        {state && <UnlockForm state={state} onState={setState} />}
      </div>
    </main>
  )
}

function UnlockForm({ state, onState }: { state: LockState; onState: (state: LockState) => void }) {
  const passphrase = useRef<HTMLInputElement>(null)
  const identity = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState('')
  const [checking, setChecking] = useState(false)
  useEffect(() => (passphrase.current ?? identity.current)?.focus(), [])

  const open = async (event: FormEvent) => {
    event.preventDefault()
    if (checking || state.wait > 0) return
    setProblem('')
    const file = identity.current?.files?.[0]
    const typed = passphrase.current?.value ?? ''
    if (passphrase.current) passphrase.current.value = ''
    if (!typed && !file) return setProblem(state.passphrase ? 'Type the passphrase.' : 'Choose the identity file.')
    setChecking(true)
    try {
      await unlock(typed ? { passphrase: typed } : { identity: await textOf(file) })
      if (identity.current) identity.current.value = ''
      showStudio()
    } catch (error) {
      const { message } = asApiError(error)
      setProblem(message.endsWith('.') ? message : `${message}.`)
      await askLock().then(onState, ignore)
      setChecking(false)
      ;(passphrase.current ?? identity.current)?.focus()
    }
  }
  return (
    <form className="doorstep-form" onSubmit={(event) => void open(event)}>
      {state.passphrase && (
        <>
          <label className="doorstep-label" htmlFor="unlock-passphrase">
            Passphrase
          </label>
          <input
            ref={passphrase}
            id="unlock-passphrase"
            className="doorstep-wide"
            type="password"
            autoComplete="current-password"
            aria-describedby="unlock-problem"
          />
        </>
      )}
      {state.identity && (
        <>
          <label className="doorstep-label" htmlFor="unlock-identity">
            {state.passphrase ? 'Or an age identity file' : 'Age identity file'}
          </label>
          <input
            ref={identity}
            id="unlock-identity"
            className="doorstep-wide"
            type="file"
            aria-describedby="unlock-problem"
          />
        </>
      )}
      <p id="unlock-problem" role="alert" className="doorstep-trouble">
        {problem}
      </p>
      <div className="doorstep-line">
        <Button kind="primary" type="submit" disabled={checking || state.wait > 0}>
          {checking ? 'Unlocking…' : state.wait > 0 ? `Wait ${state.wait} s` : 'Unlock'}
        </Button>
      </div>
      {state.ending > 0 && <p className="doorstep-soft">Work that was going on has the key until it ends.</p>}
      <p className="doorstep-soft">
        This unlocks the studio, in all its windows. Commands in the terminal need <code>talktree library unlock</code>.
      </p>
    </form>
  )
}

/** Reloads the page, so that neither the passphrase nor an earlier answer remains in it. */
function showStudio(): void {
  location.reload()
}

const LONGEST = 65_536

/** Returns the text of a small file; a larger file is not an identity. */
async function textOf(file: File | undefined): Promise<string> {
  if (!file) return ''
  if (file.size > LONGEST) throw new Error('This file is too large for an identity file.')
  return file.text()
}

/** The next poll asks again. */
function ignore(): void {
  return
}
