import { useState } from 'react'
import { path } from '../api/client'
import type { About, Secrets, Share } from '../api/types'
import { useGet } from '../api/use'
import { many } from '../inspector/amounts'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { useCurrent } from '../shell/current'
import { Outcome } from '../work/Outcome'
import { useWork } from '../work/useWork'
import { asked, DETAILS, forReading, IMAGES, targets, type Choice, type Scope } from './choices'
import { SecretsPreview } from './SecretsPreview'
import '../work/work.css'
import './share.css'

interface Props {
  ids?: string[] | undefined
  leaf?: string | undefined
  onClose: () => void
}

const FIRST: Choice = { scope: 'branch', to: 'html', detail: 'full', redact: true, images: 'keep', theme: 'system' }

/** Make a file for others: which part, in which form, with how much, and without secrets. */
export default function ShareDialog({ ids = [], leaf: given, onClose }: Props): React.JSX.Element | null {
  const { cid, leaf: shown } = useCurrent()
  const leaf = given ?? shown
  const about = useGet<About>('/about').data
  const [choice, setChoice] = useState<Choice>({ ...FIRST, scope: ids.length ? 'selection' : 'branch' })
  const work = useWork()
  const secrets = useGet<Secrets>(cid && secretsOf(cid, choice.scope, leaf, ids), undefined, { keep: true })
  if (!cid) return null

  const change = (part: Partial<Choice>): void => {
    work.forget()
    setChoice({ ...choice, ...part })
  }
  const done = work.job?.state === 'done'
  const footer = (
    <>
      <Outcome work={work} />
      <Button onClick={onClose}>{work.running ? 'Close, go on working' : done ? 'Close' : 'Cancel'}</Button>
      {!done && (
        <Button kind="primary" disabled={work.running} onClick={() => void work.start(path`/c/${cid}/share`, asked(choice, leaf, ids))}>
          Make the file
        </Button>
      )}
    </>
  )
  return (
    <Dialog title="Share" onClose={onClose} footer={footer} wide className="share">
      <div className="share-grid">
        <div className="work-form">
          <ScopeField value={choice.scope} ids={ids} onChange={(scope) => change({ scope })} />
          <FormatFields choice={choice} about={about} onChange={change} />
        </div>
        <div className="work-form">
          {forReading(choice.to) && <DetailField value={choice.detail} onChange={(detail) => change({ detail })} />}
          <SecretsPreview got={secrets} redact={choice.redact} onRedact={(redact) => change({ redact })} />
        </div>
      </div>
    </Dialog>
  )
}

/** Repeated names, as the messages are a list. */
function secretsOf(cid: string, scope: Scope, leaf: string | null, ids: readonly string[]): string {
  const query = new URLSearchParams()
  if (scope === 'selection') ids.forEach((id) => query.append('ids', id))
  else if (scope === 'branch' && leaf) query.set('leaf', leaf)
  const text = query.toString()
  return path`/c/${cid}/secrets` + (text ? `?${text}` : '')
}

function ScopeField({ value, ids, onChange }: { value: Scope; ids: readonly string[]; onChange: (scope: Scope) => void }): React.JSX.Element {
  const { conversation } = useCurrent()
  const options: [Scope, string, boolean][] = [
    ['branch', 'This branch', true],
    ['selection', ids.length ? `${many(ids.length, 'message')} chosen` : 'Chosen messages', ids.length > 0],
    ['everything', `Everything, ${many(conversation?.branches_total ?? 1, 'branch', 'branches')}`, true],
  ]
  return (
    <fieldset className="work-options">
      <legend>What</legend>
      {options
        .filter(([, , there]) => there)
        .map(([scope, text]) => (
          <label key={scope} className="work-option">
            <input type="radio" name="scope" checked={value === scope} onChange={() => onChange(scope)} />
            <span>{text}</span>
          </label>
        ))}
    </fieldset>
  )
}

interface FormatProps {
  choice: Choice
  about: About | undefined
  onChange: (part: Partial<Choice>) => void
}

function FormatFields({ choice, about, onChange }: FormatProps): React.JSX.Element {
  const all = targets(about)
  const groups = [...new Set(all.map((target) => target.group))]
  return (
    <>
      <label className="work-field">
        <span>As</span>
        <select data-autofocus value={choice.to} onChange={(event) => onChange({ to: event.target.value })}>
          {groups.map((group) => (
            <optgroup key={group} label={group}>
              {all
                .filter((target) => target.group === group)
                .map((target) => (
                  <option key={target.value} value={target.value}>
                    {target.text}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label className="work-field">
        <span>Images</span>
        <select value={choice.images} onChange={(event) => onChange({ images: event.target.value as Share['images'] })}>
          {IMAGES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {choice.to === 'html' && (
        <label className="work-field">
          <span>Colours</span>
          <select value={choice.theme} onChange={(event) => onChange({ theme: event.target.value as Share['theme'] })}>
            <option value="system">as the reader has them</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
      )}
    </>
  )
}

function DetailField({ value, onChange }: { value: Share['detail']; onChange: (detail: Share['detail']) => void }): React.JSX.Element {
  return (
    <fieldset className="work-options">
      <legend>How much</legend>
      {DETAILS.map(([detail, text]) => (
        <label key={detail} className="work-option">
          <input type="radio" name="detail" checked={value === detail} onChange={() => onChange(detail)} />
          <span>
            <strong>{detail}</strong> <span className="work-soft">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
