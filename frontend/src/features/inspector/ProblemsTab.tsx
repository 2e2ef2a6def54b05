import { path } from '../../data/api/client'
import type { FindingShape, Findings } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { Button } from '../../ui/Button'
import { Empty } from '../../ui/Empty'
import { Icon } from '../../ui/Icon'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { openFix } from './openFix'
import { useReadOnly } from '../../data/readOnly'
import { many } from '../../lib/amounts'
import { Answered } from '../common/Answered'
import { goTo } from './places'
import { byRule, type RuleGroup } from './problems'
import './problems.css'

const LIMIT = 500
const ICON = { error: 'error', warning: 'warning', note: 'info' } as const

/** The findings by rule, with what can be repaired. */
export function ProblemsTab(): React.JSX.Element {
  const { cid } = useConversation()
  const got = useGet<Findings>(cid && path`/c/${cid}/findings`, { limit: LIMIT }, { keep: true })
  return <Answered got={got}>{(found) => <Known found={found} />}</Answered>
}

function Known({ found }: { found: Findings }): React.JSX.Element {
  const open = useOpen()
  const readOnly = useReadOnly()
  const { errors, warnings, notes } = found.counts
  if (found.total === 0)
    return (
      <Empty icon="check" title="Nothing is wrong">
        Every rule was checked.
      </Empty>
    )
  return (
    <section aria-label="Problems" className="problems">
      <p className="inspector-totals">
        {errors > 0 && <span className="problems-error">{many(errors, 'error')}</span>}
        {warnings > 0 && <span className="problems-warning">{many(warnings, 'warning')}</span>}
        {notes > 0 && <span>{many(notes, 'note')}</span>}
        {found.reachable < found.messages && (
          <span>
            {found.reachable.toLocaleString('en')} of {many(found.messages, 'message')} can be reached
          </span>
        )}
      </p>
      {found.fixable > 0 && (
        <p>
          <Button small icon="tool" disabled={readOnly} onClick={() => openFix(open)}>
            Repair {many(found.fixable, 'problem')}…
          </Button>
        </p>
      )}
      {byRule(found.findings).map((group, number) => (
        <Rule key={group.code} group={group} first={number === 0} readOnly={readOnly} />
      ))}
      {found.total > found.findings.length && (
        <p className="inspector-note">
          {(found.total - found.findings.length).toLocaleString('en')} more are not listed.
        </p>
      )}
    </section>
  )
}

function Rule({ group, first, readOnly }: { group: RuleGroup; first: boolean; readOnly: boolean }): React.JSX.Element {
  const open = useOpen()
  return (
    <details className="problems-rule" open={first || group.severity === 'error'}>
      <summary>
        <Icon name="next" size={12} className="problems-fold" />
        <Icon name={ICON[group.severity]} label={group.severity} className={`problems-${group.severity}`} />
        <span className="problems-code">{group.code}</span>
        <span className="problems-name">{group.name}</span>
        <span className="problems-count">{group.findings.length}</span>
      </summary>
      <div className="problems-about">
        {group.url.startsWith('https:') ? (
          <a href={group.url} target="_blank" rel="noopener noreferrer">
            What {group.code} means
          </a>
        ) : (
          <code>talktree rule {group.code}</code>
        )}
        {group.safe > 0 && (
          <Button small disabled={readOnly} onClick={() => openFix(open, [group.code])}>
            Repair {many(group.safe, 'problem')}…
          </Button>
        )}
      </div>
      <ul>
        {group.findings.slice(0, 100).map((found, number) => (
          <Finding key={number} found={found} />
        ))}
      </ul>
      {group.findings.length > 100 && (
        <p className="inspector-note">{group.findings.length - 100} more of this rule.</p>
      )}
    </details>
  )
}

function Finding({ found }: { found: FindingShape }): React.JSX.Element {
  const open = useOpen()
  const place = found.line === null ? '' : `line ${found.line}`
  return (
    <li className="problems-finding">
      <span>{found.message}</span>
      <span className="problems-place">
        {place}
        {found.entry && (
          <Button small kind="quiet" onClick={() => void goTo(open, found.entry ?? '')}>
            Go there
          </Button>
        )}
      </span>
    </li>
  )
}
