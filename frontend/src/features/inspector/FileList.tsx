import type { FileItem } from '../../data/api/types'
import { Icon } from '../../ui/Icon'
import { lines, parts } from './fileCounts'
import { Lines } from './FileTotals'

const LETTER: Record<FileItem['kind'], string> = { created: 'A', modified: 'M', deleted: 'D', read: 'R', unknown: '?' }

interface Props {
  files: readonly FileItem[]
  onOpen: (file: FileItem) => void
  empty: string
}

/** One line for each file: what happened to it, how often, how much. */
export function FileList({ files, onOpen, empty }: Props): React.JSX.Element {
  if (files.length === 0) return <p className="inspector-note">{empty}</p>
  return (
    <ul className="inspector-files">
      {files.map((file) => (
        <FileLine key={file.path} file={file} onOpen={() => onOpen(file)} />
      ))}
    </ul>
  )
}

function FileLine({ file, onOpen }: { file: FileItem; onOpen: () => void }): React.JSX.Element {
  const [folder, name] = parts(file.path)
  const { added, removed } = lines(file.touches)
  const times = file.touches.filter((touch) => touch.kind !== 'read').length
  return (
    <li>
      <button type="button" className="inspector-file" title={file.path} onClick={onOpen}>
        <span className={`inspector-letter inspector-${file.kind}`} title={file.kind} aria-label={file.kind} role="img">
          {LETTER[file.kind]}
        </span>
        <span className="inspector-name">
          <span className="inspector-folder">{folder}</span>
          <span className="inspector-base">{name}</span>
        </span>
        {times > 1 && <span className="inspector-times">×{times}</span>}
        {file.warning && <Icon name="warning" label={file.warning} className="inspector-warning" />}
        {!file.known && !file.warning && <span className="inspector-unknown">no content</span>}
        {added + removed > 0 && <Lines added={added} removed={removed} />}
      </button>
    </li>
  )
}
