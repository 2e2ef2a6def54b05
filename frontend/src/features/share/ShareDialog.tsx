import { useState } from 'react'
import { path } from '../../data/api/client'
import type { StudioInfo, FindSecrets, Secrets } from '../../data/api/types'
import { useGet, usePosed } from '../../data/api/use'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { Outcome } from '../editing/Outcome'
import { useWork } from '../editing/useWork'
import { asked, forReading, wordsIn, type Choice } from './choices'
import { DeletedField, DetailField, FormatFields, ScopeField } from './fields'
import { FilePreview } from './FilePreview'
import { RedactionFields } from './RedactionFields'
import { SecretsPreview } from './SecretsPreview'
import '../common/work.css'
import './share.css'

interface Props {
  ids?: string[] | undefined
  leaf?: string | undefined
  onClose: () => void
}

const FIRST: Choice = {
  scope: 'branch',
  to: 'html',
  detail: 'full',
  redact: true,
  personal: false,
  words: '',
  images: 'keep',
  theme: 'system',
  includeDeleted: false,
}

/** Makes a file for others: scope, format, detail, and redaction. */
export default function ShareDialog({ ids = [], leaf: given, onClose }: Props): React.JSX.Element | null {
  const { cid, leaf: shown } = useConversation()
  const leaf = given ?? shown
  const about = useGet<StudioInfo>('/about').data
  const [choice, setChoice] = useState<Choice>({ ...FIRST, scope: ids.length ? 'selection' : 'branch' })
  const work = useWork()
  const secrets = usePosed<Secrets>(cid && path`/c/${cid}/secrets`, secretsOf(choice, leaf, ids))
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
        <Button
          kind="primary"
          disabled={work.running}
          onClick={() => void work.start(path`/c/${cid}/share`, asked(choice, leaf, ids))}
        >
          Make the file
        </Button>
      )}
    </>
  )
  return (
    <DialogBody footer={footer}>
      <div className="share-grid">
        <div className="work-form">
          <ScopeField value={choice.scope} ids={ids} onChange={(scope) => change({ scope })} />
          <FormatFields choice={choice} about={about} onChange={change} />
        </div>
        <div className="work-form">
          {forReading(choice.to) && <DetailField value={choice.detail} onChange={(detail) => change({ detail })} />}
          <DeletedField
            hidden={secrets.data?.hidden ?? {}}
            value={choice.includeDeleted}
            onChange={(includeDeleted) => change({ includeDeleted })}
          />
          <SecretsPreview got={secrets} redact={choice.redact} onRedact={(redact) => change({ redact })} />
          {choice.redact && <RedactionFields choice={choice} onChange={change} />}
        </div>
      </div>
      <FilePreview cid={cid} share={asked(choice, leaf, ids)} />
    </DialogBody>
  )
}

/** The query for secrets. */
function secretsOf(choice: Choice, leaf: string | null, ids: readonly string[]): FindSecrets {
  const { scope, redact } = choice
  return {
    leaf: scope === 'branch' ? leaf : null,
    ids: scope === 'selection' ? [...ids] : [],
    include_deleted: choice.includeDeleted,
    words: redact ? wordsIn(choice.words) : [],
    personal: redact && choice.personal,
  }
}
