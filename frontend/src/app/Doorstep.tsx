// Shown instead of the studio if the token is missing or the server does not answer.

import { useEffect, useState, type FormEvent } from 'react'
import { asApiError, type ApiError } from '../data/api/client'
import { useConnection } from '../data/api/connection'
import { invalidate } from '../data/api/use'
import { Button } from '../ui/Button'
import { Icon } from '../ui/Icon'
import { login, loginRemembered, tokenIn } from './login'
import './doorstep.css'

export function Doorstep({ error }: { error?: ApiError }) {
  const connection = useConnection()
  return (
    <main className="doorstep">
      <div className="doorstep-box">
        <h1 className="doorstep-title">
          <Icon name="graph" size={22} /> Talktree studio
        </h1>
        {connection === 'login' ? <NeedsToken /> : <Gone error={error} />}
      </div>
    </main>
  )
}

function NeedsToken() {
  const [asking, setAsking] = useState(true)
  useEffect(() => {
    let wanted = true
    void loginRemembered().then((entered) => wanted && setAsking(entered))
    return () => {
      wanted = false
    }
  }, [])
  // A remembered browser is logged in without a question.
  return asking ? <p aria-busy="true">One moment.</p> : <TokenForm />
}

function TokenForm() {
  const [text, setText] = useState('')
  const [trouble, setTrouble] = useState('')
  const enter = async (event: FormEvent) => {
    event.preventDefault()
    const token = tokenIn(text)
    if (!token) return setTrouble('There is no token in that. Copy the whole address from the terminal.')
    try {
      await login(token)
    } catch (problem) {
      const { status, message } = asApiError(problem)
      setTrouble(status === 401 || status === 403 ? 'That token is of another start of the studio.' : message)
    }
  }
  return (
    <>
      <p>
        This studio lets in only who started it. Open the address that <code>talktree studio</code> printed in the
        terminal, with all that follows the <code>#</code>. It is another one at each start.
      </p>
      <form className="doorstep-form" onSubmit={(event) => void enter(event)}>
        <label className="doorstep-label" htmlFor="doorstep-token">
          Or paste it here
        </label>
        <div className="doorstep-line">
          <input
            id="doorstep-token"
            value={text}
            autoComplete="off"
            spellCheck={false}
            placeholder="http://127.0.0.1:…/#token=…"
            aria-describedby="doorstep-trouble"
            onChange={(event) => setText(event.target.value)}
          />
          <Button kind="primary" type="submit">
            Enter
          </Button>
        </div>
        <p id="doorstep-trouble" role="alert" className="doorstep-trouble">
          {trouble}
        </p>
      </form>
    </>
  )
}

function Gone({ error }: { error: ApiError | undefined }) {
  return (
    <>
      <p role="alert">{error && error.status !== 0 ? error.fault.message : 'The server does not answer.'}</p>
      <p>
        Start <code>talktree studio</code> again and open the address it prints. If it comes back by itself, this page
        goes on.
      </p>
      <Button icon="refresh" onClick={() => invalidate('/about')}>
        Try again
      </Button>
    </>
  )
}
