// The status bar: size, last change, and whether the source is growing.

import { useEffect, useState, type ReactNode } from 'react'
import { useConnection } from '../data/api/connection'
import type { StudioInfo, ConversationDetails } from '../data/api/types'
import { useLiveDot } from '../features/live/live'
import { useConversation } from '../data/conversation/ConversationProvider'
import { age, bytes, count, exact, roughly, whole } from '../lib/saying'
import './status.css'

export function StatusBar({ about }: { about: StudioInfo | null }) {
  const { cid, conversation } = useConversation()
  const gone = useConnection() === 'gone'
  return (
    <footer className="status" aria-label="Status">
      {cid !== null ? <OfConversation conversation={conversation} /> : <OfLibrary about={about} />}
      <span className="status-rest" />
      {gone && (
        <span className="status-gone" role="alert">
          The server does not answer. Trying again.
        </span>
      )}
      {cid !== null && about && (
        <Item label="What the library takes on the disk" minor>
          {bytes(about.library.stored)} stored
        </Item>
      )}
      {cid !== null && !gone && <Live />}
    </footer>
  )
}

/** `minor` items are hidden on small screens. */
function Item({ label, minor, children }: { label: string; minor?: boolean; children: ReactNode }) {
  return (
    <span className={`status-item${minor ? ' status-minor' : ''}`} title={label}>
      {children}
    </span>
  )
}

function OfLibrary({ about }: { about: StudioInfo | null }) {
  useTicks()
  if (!about) return null
  const { conversations, bytes: size, stored, last_import: last } = about.library
  return (
    <>
      <Item label="Conversations in the library">{count(conversations, 'conversation')}</Item>
      <Item label="Size of the sources" minor>
        {bytes(size)}
      </Item>
      <Item label="What the library takes on the disk">{bytes(stored)} stored</Item>
      {last !== null && <Item label={exact(last)}>imported {ago(last)}</Item>}
      <Item label="Talktree" minor>
        version {about.version}
      </Item>
    </>
  )
}

function OfConversation({ conversation }: { conversation: ConversationDetails | null }) {
  useTicks()
  if (!conversation) return null
  const { tokens, findings } = conversation
  const several = conversation.siblings_in_source.length
  const all = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write
  const split = `${whole(tokens.input)} in, ${whole(tokens.output)} out, ${whole(tokens.cache_read)} from the cache, ${whole(tokens.cache_write)} into it`
  const wrong = findings ? findings.errors + findings.warnings : 0
  return (
    <>
      <Item label="Messages in all branches">{count(conversation.messages, 'message')}</Item>
      <Item label="Branches">{count(conversation.branches_total, 'branch', 'branches')}</Item>
      {conversation.sidechains_total > 0 && (
        <Item label="Conversations of sub-agents" minor>
          {count(conversation.sidechains_total, 'sidechain')}
        </Item>
      )}
      {all > 0 && <Item label={split}>{roughly(all, 'token')}</Item>}
      <Item label={conversation.path} minor>
        {bytes(conversation.size)}
        {several > 1 && ` with ${count(several - 1, 'other conversation')}`}
      </Item>
      {conversation.last !== null && (
        <Item label={exact(conversation.last)} minor>
          changed {ago(conversation.last)}
        </Item>
      )}
      {conversation.edited && <span className="status-item status-edited">edits not saved</span>}
      {wrong > 0 && <span className="status-item status-wrong">{count(wrong, 'problem')}</span>}
    </>
  )
}

function ago(time: number): string {
  const said = age(time)
  return said === 'now' ? 'just now' : /\d (min|h|d)$/.test(said) ? `${said} ago` : said
}

const DOT = { off: 'not watched', idle: 'watching', growing: 'growing' } as const

function Live() {
  const state = useLiveDot()
  return (
    <span className={`status-item status-live status-${state}`} role="status">
      <span className="status-dot" aria-hidden="true" />
      {DOT[state]}
    </span>
  )
}

/** Renders again every half minute, so that "2 min ago" stays correct. */
function useTicks(): void {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
}
