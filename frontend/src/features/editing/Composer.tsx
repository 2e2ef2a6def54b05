import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { fieldReady } from '../../ui/overlay/field'
import { useConversation, useLocal, useOpen } from '../../data/conversation/ConversationProvider'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { attach, chooseFiles } from './attach'
import type { Writing, WritingKind } from '../../data/conversation/OpenConversation'
import { stopWriting } from './composing'
import { draft, keepDraft } from './drafts'
import { edit } from './edit'
import './composer.css'

const TITLE: Record<WritingKind, string> = {
  reply: 'Reply',
  revise: 'Edit as a new branch',
  replace: 'Edit in place',
}

const SEND: Record<WritingKind, string> = { reply: 'Add reply', revise: 'Make branch', replace: 'Change' }

/** The box for a reply or another text, at the place where the message will be. */
export default function Composer(): React.JSX.Element | null {
  const writing = useLocal((local) => local.writing)
  if (!writing) return null
  return <Box key={`${writing.kind} ${writing.about ?? ''}`} writing={writing} />
}

function Box({ writing }: { writing: Writing }): React.JSX.Element {
  const { kind, about } = writing
  const open = useOpen()
  const { cid } = open
  const { conversation } = useConversation()
  const roles = conversation?.can.roles ?? []
  const [text, setText] = useState(() => draft(cid, kind, about) || writing.text)
  const [role, setRole] = useState(roles.includes('user') || !roles[0] ? 'user' : roles[0])
  const [files, setFiles] = useState<File[]>([])
  const [sending, setSending] = useState(false)
  const [over, setOver] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const canAttach = conversation?.can.attach ?? false

  useLayoutEffect(() => {
    const area = field.current
    area?.focus()
    area?.setSelectionRange(area.value.length, area.value.length)
    area?.scrollIntoView({ block: 'nearest' })
    const typed = fieldReady()
    if (typed) setText((now) => now + typed)
  }, [])
  useEffect(() => {
    keepDraft(cid, kind, about, text === writing.text ? '' : text)
  }, [cid, kind, about, text, writing.text])

  const send = async (): Promise<void> => {
    if (sending || (text.trim() === '' && files.length === 0)) return
    setSending(true)
    const deed =
      kind === 'reply'
        ? ({ do: 'reply', parent: about ?? open.leaf, text, role } as const)
        : ({ do: kind, about: about ?? '', text } as const)
    const edited = await edit(open, deed)
    if (!edited) return setSending(false) // the text stays in the box
    keepDraft(cid, kind, about, '')
    stopWriting(open)
    if (edited.id) await attach(open, edited.id, files)
  }

  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape') stopWriting(open)
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const drop = (event: React.DragEvent): void => {
    if (!canAttach || event.dataTransfer.files.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    setOver(false)
    setFiles([...files, ...event.dataTransfer.files])
  }

  return (
    <form
      className={over ? 'composer composer-over' : 'composer'}
      aria-label={TITLE[kind]}
      onSubmit={(event) => (event.preventDefault(), void send())}
      onKeyDown={onKeyDown}
      onDragOver={(event) => canAttach && (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <header className="composer-head">
        <Icon name={kind === 'reply' ? 'reply' : 'edit'} />
        <span className="composer-title">{TITLE[kind]}</span>
        {kind === 'reply' && roles.length > 1 && (
          <label className="composer-role">
            as{' '}
            <select value={role} onChange={(event) => setRole(event.target.value)}>
              {roles.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </header>
      <textarea
        ref={field}
        className="composer-text"
        dir="auto"
        aria-label="Text"
        rows={Math.min(16, Math.max(3, text.split('\n').length + 1))}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={canAttach ? 'Write here. Files can be dropped.' : 'Write here.'}
      />
      {files.length > 0 && <Files files={files} onRemove={(gone) => setFiles(files.filter((file) => file !== gone))} />}
      <footer className="composer-foot">
        {canAttach && (
          <Button icon="attach" onClick={() => void chooseFiles().then((more) => setFiles((had) => [...had, ...more]))}>
            Attach
          </Button>
        )}
        <span className="composer-hint">Ctrl+Enter sends · Esc keeps the draft</span>
        <Button onClick={() => stopWriting(open)}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={sending || (text.trim() === '' && files.length === 0)}>
          {SEND[kind]}
        </Button>
      </footer>
    </form>
  )
}

function Files({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }): React.JSX.Element {
  return (
    <ul className="composer-files" aria-label="Files to attach">
      {files.map((file, number) => (
        <li key={number}>
          {file.name}
          <button type="button" aria-label={`Do not attach ${file.name}`} onClick={() => onRemove(file)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}
