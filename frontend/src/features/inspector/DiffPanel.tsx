import { useState } from 'react'
import { makeStore, useStore } from '../../lib/store'
import type { FileItem } from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { openOverlay, useOverlays } from '../../ui/overlay/stack'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { DiffView } from './DiffView'
import { choices, ofTouch, describeSpan, touchPoints, WHOLE, type Span } from './diffPoints'
import { parts } from './fileCounts'
import { goTo } from './places'
import './diff.css'

interface Props {
  file: FileItem
  first: Span
  onBack: () => void
}

/** The changes of one file between two chosen points. */
export function DiffPanel({ file, first, onBack }: Props): React.JSX.Element {
  const { selected } = useConversation()
  const open = useOpen()
  const [span, setSpan] = useState(first)
  const large = useOverlays().some((one) => one.name === 'difference')
  const [folder, name] = parts(file.path)
  return (
    <section className="diff" aria-label={`Changes of ${file.path}`}>
      <header className="diff-head">
        <Button small kind="quiet" icon="previous" label="All files" onClick={onBack} />
        <h2 className="diff-title" title={file.path}>
          <span className="inspector-folder">{folder}</span>
          {name}
        </h2>
        <Button small kind="quiet" icon="external" label="Show large" onClick={() => showLarge(open, file, span)} />
      </header>
      {file.warning && (
        <p className="inspector-caution">
          <Icon name="warning" /> {file.warning}
        </p>
      )}
      <Ends file={file} span={span} selected={selected} onChange={setSpan} />
      <Touches file={file} span={span} onChange={setSpan} />
      {!large && <DiffView path={file.path} span={span} onWide={() => showLarge(open, file, span)} />}
    </section>
  )
}

/** Shows the same difference in a large dialog; its points can be changed there, too. */
function showLarge(open: OpenConversation, file: FileItem, first: Span): void {
  const chosen = makeStore(first)
  const Title = (): React.JSX.Element => <>{`${file.path}, ${describeSpan(useStore(chosen), touchPoints(file))}`}</>
  const Large = (): React.JSX.Element => {
    const span = useStore(chosen)
    const { selected } = useConversation()
    return (
      <DialogBody>
        <Ends file={file} span={span} selected={selected} onChange={chosen.set} />
        <DiffView path={file.path} span={span} />
      </DialogBody>
    )
  }
  openOverlay({
    name: 'difference',
    conversation: open.cid,
    shape: 'dialog',
    title: <Title />,
    wide: true,
    className: 'diff-dialog',
    render: () => <Large />,
  })
}

interface EndsProps {
  file: FileItem
  span: Span
  selected: string | null
  onChange: (span: Span) => void
}

function Ends({ file, span, selected, onChange }: EndsProps): React.JSX.Element {
  const side = (which: keyof Span, text: string): React.JSX.Element => (
    <label className="diff-end">
      {text}
      <select value={span[which]} onChange={(event) => onChange({ ...span, [which]: event.target.value })}>
        {choices(file, selected ?? span[which], which).map((point) => (
          <option key={point.value} value={point.value}>
            {point.text}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div className="diff-ends" role="group" aria-label="Compare">
      {side('since', 'from')}
      {side('until', 'to')}
    </div>
  )
}

/** Every change of the file as a dot; a click shows only that one. */
function Touches({ file, span, onChange }: Omit<EndsProps, 'selected'>): React.JSX.Element | null {
  const open = useOpen()
  const touches = touchPoints(file)
  if (touches.length < 2) return null
  return (
    <div className="diff-touches" role="group" aria-label="Changes one by one">
      <Button small pressed={span.since === '' && span.until === ''} onClick={() => onChange(WHOLE)}>
        all
      </Button>
      {touches.map((point, number) => {
        const one = ofTouch(file, point.value)
        const shown = one.since === span.since && one.until === span.until
        return (
          <Button
            key={point.value}
            small
            label={`${point.text}. Press twice to go to the message`}
            aria-label={`Change ${number + 1}: ${point.text}`}
            pressed={shown}
            onClick={() => (shown ? void goTo(open, point.value) : onChange(one))}
          >
            {number + 1}
          </Button>
        )
      })}
    </div>
  )
}
