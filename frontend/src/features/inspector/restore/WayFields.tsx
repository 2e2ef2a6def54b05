import { useState } from 'react'
import type { SessionState, NavigationRequest } from '../../../data/api/types'
import { Button } from '../../../ui/Button'

type What = NonNullable<NavigationRequest['what']>

export interface Way {
  what: What
  /** Another folder for the files; empty is the default. */
  into: string
}

const WHAT: readonly (readonly [What, string])[] = [
  ['both', 'files and talk'],
  ['files', 'files only'],
  ['chat', 'talk only'],
]

interface Props {
  session: SessionState
  verb: NavigationRequest['verb']
  way: Way
  onChange: (way: Way) => void
}

/** What is moved, and for a restore into which folder. */
export function WayFields({ session, verb, way, onChange }: Props): React.JSX.Element {
  const [folder, setFolder] = useState(way.into)
  const own = session.kind === 'own'
  const keep = (): void => onChange({ ...way, into: folder.trim() })
  return (
    <div className="session-way">
      {own && (
        <div className="inspector-switch" role="group" aria-label="What is moved">
          {WHAT.map(([key, text]) => (
            <Button key={key} small pressed={way.what === key} onClick={() => onChange({ ...way, what: key })}>
              {text}
            </Button>
          ))}
        </div>
      )}
      {verb === 'restore' && (
        <form className="session-into" onSubmit={(event) => (event.preventDefault(), keep())}>
          <label className="work-field">
            <span>Files go into</span>
            <input
              value={folder}
              placeholder={session.workspace || 'a new folder'}
              spellCheck={false}
              onChange={(event) => setFolder(event.target.value)}
              onBlur={keep}
            />
          </label>
        </form>
      )}
    </div>
  )
}
