// Two branches beside each other: what they share, and the rest of each.

import { useState } from 'react'
import { path } from '../../data/api/client'
import type { BranchComparison as Comparison, ComparedRow, ComparedSide } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { many } from '../../lib/words'
import { Button } from '../../ui/Button'
import { useConversation } from '../../data/conversation/ConversationProvider'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { Empty } from '../../ui/Empty'
import { SafeHtml } from '../common/SafeHtml'
import { roughly } from '../../lib/saying'
import { DialogBody } from '../../ui/overlay/DialogBody'
import './tree.css'

interface Props {
  open: OpenConversation
  a: string
  b: string
  onGo: () => void
  onSwap: () => void
}

export default function CompareView(props: Props) {
  return (
    <DialogBody>
      <Compared {...props} />
    </DialogBody>
  )
}

function Compared({ open, a, b, onGo, onSwap }: Props) {
  const compared = useGet<Comparison>(path`/c/${open.cid}/compare`, { a, b })
  const [all, setAll] = useState(false)
  if (compared.error)
    return (
      <Empty icon="error" title="These cannot be compared">
        {compared.error.message}
      </Empty>
    )
  const got = compared.data
  if (!got) return <div className="tree-waiting" role="status" aria-label="Comparing" />
  const rows = all ? got.rows : got.rows.filter((row) => row.kind !== 'same')
  const hidden = got.rows.length - rows.length
  const go = (leaf: string, id: string) => {
    onGo()
    open.showLeaf(leaf, id)
  }
  return (
    <div className="tree-compared">
      <p className="tree-shared">
        {got.ancestor === null ? (
          'They have no message in common.'
        ) : (
          <span>
            {got.shared === 1 ? 'The first message is' : `The first ${many(got.shared, 'message')} are`} the same, up to{' '}
            <button type="button" className="tree-link" onClick={() => go(got.a.leaf, got.ancestor as string)}>
              where they part
            </button>
            .
          </span>
        )}
        <span className="tree-compared-tools">
          <Button small kind="quiet" icon="swap" onClick={onSwap}>
            Swap sides
          </Button>
        </span>
      </p>
      <div className="tree-sides">
        <Head side={got.a} letter="A" />
        <Head side={got.b} letter="B" />
      </div>
      <div className="tree-rows" role="list" aria-label="What differs">
        {rows.map((row, number) => (
          <Pair key={number} row={row} a={got.a.leaf} b={got.b.leaf} go={go} />
        ))}
      </div>
      {hidden > 0 && (
        <Button small onClick={() => setAll(true)}>
          Show {many(hidden, 'message')} that {hidden === 1 ? 'is' : 'are'} the same
        </Button>
      )}
      {got.total > got.rows.length && (
        <p className="tree-note">
          The first {got.rows.length.toLocaleString('en')} of {got.total.toLocaleString('en')} are shown.
        </p>
      )}
    </div>
  )
}

function Head({ side, letter }: { side: ComparedSide; letter: string }) {
  const { conversation } = useConversation()
  const label = conversation?.branches.find((branch) => branch.leaf === side.leaf)?.label
  return (
    <div className="tree-side-head">
      <b>{letter}</b> <span className="tree-side-name">{side.name || label || 'Branch'}</span>
      <span className="tree-faint">
        {many(side.messages, 'message')}
        {side.tokens > 0 && ` · ${roughly(side.tokens, 'token')}`}
      </span>
    </div>
  )
}

const KINDS: Record<ComparedRow['kind'], string> = {
  same: 'the same',
  changed: 'changed',
  added: 'only in B',
  removed: 'only in A',
  moved: 'moved',
}

/** What differs in a message, in words. */
const FIELDS: Record<string, string> = {
  parts: 'content',
  usage: 'tokens',
  context: 'where it ran',
  flags: 'marks',
  todos: 'tasks',
  extra: 'other facts',
}

function Pair({ row, a, b, go }: { row: ComparedRow; a: string; b: string; go: (leaf: string, id: string) => void }) {
  return (
    <div className={`tree-pair tree-pair-${row.kind}`} role="listitem">
      <Cell id={row.a} label={row.a_label} leaf={a} go={go} />
      <Cell id={row.b} label={row.b_label} leaf={b} go={go} />
      <div className="tree-pair-what">
        <span className="tree-pair-kind">{KINDS[row.kind]}</span>
        {row.what.length > 0 && (
          <span className="tree-faint">{row.what.map((name) => FIELDS[name] ?? name).join(', ')}</span>
        )}
        {row.html && <SafeHtml className="tt-content tree-words" html={row.html} />}
      </div>
    </div>
  )
}

function Cell({
  id,
  label,
  leaf,
  go,
}: {
  id: string | null
  label: string
  leaf: string
  go: (leaf: string, id: string) => void
}) {
  if (id === null)
    return (
      <span className="tree-cell tree-cell-none">
        <span className="sr-only">nothing</span>
      </span>
    )
  return (
    <button type="button" className="tree-cell" onClick={() => go(leaf, id)}>
      {label || id}
    </button>
  )
}
