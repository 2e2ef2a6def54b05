// A file of a message.

import { address, path } from '../../../data/api/client'
import type { MessageBlock } from '../../../data/api/types'
import { DownloadLink } from '../../common/DownloadLink'
import { Icon } from '../../../ui/Icon'
import { SafeHtml } from '../../common/SafeHtml'
import { bytes } from '../../../lib/words'
import { Remote } from './Remote'

interface Props {
  block: MessageBlock
  cid: string
  id: string
}

export function FileBlock({ block, cid, id }: Props) {
  if (block.remote) return <Remote block={block} />
  const name = block.name || block.title || 'File'
  return (
    <div className="conv-file-block">
      <div className="conv-file">
        <Icon name="file" />
        <span className="conv-file-name">{name}</span>
        <span className="conv-faint">
          {[block.media_type, block.size === null ? '' : bytes(block.size), block.detail].filter(Boolean).join(' · ')}
        </span>
        {block.number >= 0 && block.size !== null && (
          <DownloadLink
            address={address(path`/c/${cid}/messages/${id}/blobs/${block.number}`)}
            name={name}
            className="conv-go"
          >
            Download <Icon name="download" size={12} />
          </DownloadLink>
        )}
      </div>
      {block.html && <SafeHtml className="tt-content" html={block.html} />}
    </div>
  )
}
