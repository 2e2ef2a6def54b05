import { useState } from 'react'
import { path } from '../../data/api/client'
import { useSigned } from '../../data/api/key'
import type { PreviewFile, Share, SharePreview } from '../../data/api/types'
import { usePosed } from '../../data/api/use'
import { many } from '../../lib/amounts'
import { Answered } from '../common/Answered'

/** A preview of the file, before it is made; loaded on demand. */
export function FilePreview({ cid, share }: { cid: string; share: Share }): React.JSX.Element {
  const [open, setOpen] = useState(false)
  const got = usePosed<SharePreview>(open ? path`/c/${cid}/share/preview` : null, share)
  return (
    <details className="share-preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Preview of what will be shared</summary>
      {open && (
        <Answered got={got}>
          {(preview) => (
            <>
              <p className="work-soft" role="status">
                {share.redact ? `${many(preview.replaced, 'value')} replaced in the file. ` : 'Nothing is replaced. '}
                {preview.is_whole ? '' : 'Only the beginning is shown.'}
              </p>
              {preview.page !== null ? (
                <Page address={preview.page} />
              ) : (
                preview.files.map((file) => <File key={file.name} file={file} alone={preview.files.length === 1} />)
              )}
            </>
          )}
        </Answered>
      )}
    </details>
  )
}

/** A page as its readers see it. The frame runs and loads nothing. */
function Page({ address }: { address: string }): React.JSX.Element {
  const signed = useSigned(address)
  return <>{signed && <iframe sandbox="" src={signed} title="Preview" tabIndex={0} />}</>
}

/** The bytes of another file, as text. */
function File({ file, alone }: { file: PreviewFile; alone: boolean }): React.JSX.Element {
  return (
    <>
      {!alone && <h4>{file.name}</h4>}
      {file.text === null ? (
        <p className="work-soft">This file is not text.</p>
      ) : (
        <pre tabIndex={0} aria-label={alone ? 'Preview' : `Preview of ${file.name}`}>
          {file.text}
        </pre>
      )}
    </>
  )
}
