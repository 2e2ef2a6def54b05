import { useState } from 'react'
import { path } from '../../data/api/client'
import type { FileItem, Files } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { Button } from '../../ui/Button'
import { Empty } from '../../ui/Empty'
import { useConversation } from '../../data/conversation/ConversationProvider'
import { many } from '../../lib/amounts'
import { Answered } from '../common/Answered'
import { DiffPanel } from './DiffPanel'
import { WHOLE, ofTouch, type Span } from './diffPoints'
import { FileList } from './FileList'
import { atMessage, changed, totals } from './fileCounts'
import { FileTotals } from './FileTotals'
import { usePlace } from './usePlace'

type Scope = 'all' | 'message'

interface Opened {
  path: string
  span: Span
}

/** The files of the branch, and their changes between two points. */
export function FilesTab(): React.JSX.Element {
  const { cid, leaf } = useConversation()
  const got = useGet<Files>(cid ? path`/c/${cid}/files` : null, { leaf }, { keep: true })
  return <Answered got={got}>{(data) => <Known files={data.files} total={data.total} />}</Answered>
}

function Known({ files, total }: { files: FileItem[]; total: number }): React.JSX.Element {
  const { selected } = useConversation()
  const place = usePlace()
  const [scope, setScope] = useState<Scope>('all')
  const [withRead, setWithRead] = useState(false)
  const [opened, setOpened] = useState<Opened | null>(null)
  const here = atMessage(files, selected, place?.number ?? null)
  const listed = (scope === 'message' ? here : files).filter((file) => withRead || changed(file))
  const read = files.filter((file) => !changed(file)).length
  const file = files.find((one) => one.path === opened?.path)

  if (files.length === 0) return <Empty icon="files" title="No files were touched on this branch" />
  if (opened && file) {
    return <DiffPanel key={file.path} file={file} first={opened.span} onBack={() => setOpened(null)} />
  }
  const open = (one: FileItem): void => {
    const touch = scope === 'message' ? one.touches.findLast((each) => each.kind !== 'read') : undefined
    const whole = files.find((each) => each.path === one.path) ?? one
    setOpened({ path: one.path, span: touch ? ofTouch(whole, touch.message) : WHOLE })
  }
  return (
    <section aria-label="Files">
      <div className="inspector-tools">
        <div className="inspector-switch" role="group" aria-label="Which files">
          <Button small pressed={scope === 'all'} onClick={() => setScope('all')}>
            All {files.filter(changed).length}
          </Button>
          <Button small pressed={scope === 'message'} disabled={!selected} onClick={() => setScope('message')}>
            This message {here.filter(changed).length}
          </Button>
        </div>
        {read > 0 && (
          <label className="inspector-check">
            <input type="checkbox" checked={withRead} onChange={(event) => setWithRead(event.target.checked)} />
            also {many(read, 'file')} only read
          </label>
        )}
      </div>
      <FileTotals counts={totals(listed)} />
      <FileList
        files={listed}
        onOpen={open}
        empty={scope === 'message' ? 'No file changed with this message.' : 'Files were only read.'}
      />
      {total > files.length && <p className="inspector-note">{total - files.length} more files are not listed.</p>}
    </section>
  )
}
