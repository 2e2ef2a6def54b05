import { useRef, useState } from 'react'
import { path as where } from '../../data/api/client'
import type { FileDiff } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { useKeys } from '../../ui/keys/use'
import { Button } from '../../ui/Button'
import { SafeHtml } from '../common/SafeHtml'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { Answered } from '../common/Answered'
import { stepTo, unfold } from './changeWalk'
import { STATES } from './diffStates'
import { Lines } from './FileTotals'
import { useDiffLook } from './diffLook'
import type { Span } from './diffPoints'

interface Props {
  path: string
  span: Span
  /** A narrow pane has no room for two columns: this opens the large view. */
  onWide?: () => void
}

/** A diff with its options: side by side, without whitespace, and stepping through changes. */
export function DiffView({ path, span, onWide }: Props): React.JSX.Element {
  const { cid, leaf } = useConversation()
  const [look, setLook] = useDiffLook()
  const box = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(-1)
  const [all, setAll] = useState(false)
  const mode = look.split && !onWide ? 'split' : 'unified'
  const got = useGet<FileDiff>(
    cid && where`/c/${cid}/files/diff`,
    { path, since: span.since, until: span.until, leaf, mode, space: look.space ? null : false },
    { keep: true },
  )
  const step = (by: 1 | -1): void => setAt(stepTo(box.current, at, by))
  const showAll = (): void => {
    unfold(box.current, !all)
    setAll(!all)
  }
  const split = (): void => {
    setLook({ ...look, split: onWide ? true : !look.split })
    onWide?.()
  }
  useKeys([
    { keys: 'n', text: 'Next change in a file', group: 'Inspector', run: () => step(1) },
    { keys: 'p', text: 'Previous change in a file', group: 'Inspector', run: () => step(-1) },
  ])
  return (
    <Answered got={got}>
      {(diff) => (
        <div className="diff-view">
          <div className="diff-tools">
            <Lines added={diff.added} removed={diff.removed} />
            <span className="diff-gap" />
            <Button small kind="quiet" icon="split" label="Side by side" pressed={mode === 'split'} onClick={split} />
            <Button
              small
              kind="quiet"
              label="Ignore whitespace"
              aria-label="Ignore whitespace"
              pressed={!look.space}
              onClick={() => setLook({ ...look, space: !look.space })}
            >
              ␣
            </Button>
            <Button
              small
              kind="quiet"
              icon="wrap"
              label="Wrap long lines"
              pressed={look.wrap}
              onClick={() => setLook({ ...look, wrap: !look.wrap })}
            />
            <Button small kind="quiet" icon="more" label="Show what did not change" pressed={all} onClick={showAll} />
            <Button
              small
              kind="quiet"
              icon="up"
              label="Previous change"
              shortcut="p"
              disabled={diff.hunks === 0}
              onClick={() => step(-1)}
            />
            <Button
              small
              kind="quiet"
              icon="down"
              label="Next change"
              shortcut="n"
              disabled={diff.hunks === 0}
              onClick={() => step(1)}
            />
          </div>
          {diff.state !== 'text' && <p className="inspector-note">{STATES[diff.state]}</p>}
          {diff.note && <p className="inspector-note">{diff.note}</p>}
          {diff.html && (
            <div
              ref={box}
              className={look.wrap ? 'diff-body diff-wrapped' : 'diff-body'}
              tabIndex={0}
              role="region"
              aria-label={`Difference of ${path}`}
            >
              <SafeHtml className="tt-content" html={diff.html} />
            </div>
          )}
        </div>
      )}
    </Answered>
  )
}
