import { useState } from 'react'
import { path } from '../../data/api/client'
import type { Share, SharePreview } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { many } from '../../lib/amounts'
import { Answered } from '../common/Answered'

/** The file as it will be, before it is made; asked for only once somebody wants to see it. */
export function FilePreview({ cid, share }: { cid: string; share: Share }): React.JSX.Element {
  const [open, setOpen] = useState(false)
  const got = useGet<SharePreview>(open ? previewOf(cid, share) : null, undefined, { keep: true })
  return (
    <details className="share-preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Preview of what will be shared</summary>
      {open && (
        <Answered got={got}>
          {(preview) => (
            <>
              <p className="work-soft">
                {share.redact ? `${many(preview.replaced, 'value')} replaced in the file. ` : 'Nothing is replaced. '}
                {preview.is_whole ? '' : 'Only the beginning is shown.'}
              </p>
              <pre tabIndex={0} aria-label="Preview">
                {preview.text}
              </pre>
            </>
          )}
        </Answered>
      )}
    </details>
  )
}

/** Lists are repeated names. */
function previewOf(cid: string, share: Share): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(share)) {
    if (Array.isArray(value)) value.forEach((each) => query.append(name, String(each)))
    else if (value !== null) query.set(name, String(value))
  }
  return path`/c/${cid}/share/preview` + `?${query}`
}
