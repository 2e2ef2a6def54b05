import { useState } from 'react'
import type { FileItem } from '../api/types'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { Icon } from '../shell/Icon'
import { useCurrent } from '../shell/current'
import { DiffView } from './DiffView'
import { choices, ofTouch, told, touchPoints, WHOLE, type Span } from './diffPoints'
import { parts } from './fileCounts'
import { goTo } from './places'
import './diff.css'

interface Props {
  file: FileItem
  first: Span
  onBack: () => void
}

/** What became of one file between two points that can be chosen. */
export function DiffPanel({ file, first, onBack }: Props): React.JSX.Element {
  const { selected } = useCurrent()
  const [span, setSpan] = useState(first)
  const [large, setLarge] = useState(false)
  const [folder, name] = parts(file.path)
  return (
    <section className="diff" aria-label={`Changes of ${file.path}`}>
      <header className="diff-head">
        <Button small kind="quiet" icon="previous" label="All files" onClick={onBack} />
        <h2 className="diff-title" title={file.path}>
          <span className="inspector-folder">{folder}</span>
          {name}
        </h2>
        <Button small kind="quiet" icon="external" label="Show large" onClick={() => setLarge(true)} />
      </header>
      {file.warning && (
        <p className="inspector-caution">
          <Icon name="warning" /> {file.warning}
        </p>
      )}
      <Ends file={file} span={span} selected={selected} onChange={setSpan} />
      <Touches file={file} span={span} onChange={setSpan} />
      {!large && <DiffView path={file.path} span={span} onWide={() => setLarge(true)} />}
      {large && (
        <Dialog title={`${file.path}, ${told(span, touchPoints(file))}`} onClose={() => setLarge(false)} wide className="diff-dialog">
          <Ends file={file} span={span} selected={selected} onChange={setSpan} />
          <DiffView path={file.path} span={span} />
        </Dialog>
      )}
    </section>
  )
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

/** Every change of the file as a dot; a click shows just that one. */
function Touches({ file, span, onChange }: Omit<EndsProps, 'selected'>): React.JSX.Element | null {
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
            onClick={() => (shown ? void goTo(point.value) : onChange(one))}
          >
            {number + 1}
          </Button>
        )
      })}
    </div>
  )
}
