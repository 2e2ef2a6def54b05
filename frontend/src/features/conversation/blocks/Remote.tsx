// External content. It is not loaded; the reader may open it.

import type { MessageBlock } from '../../../data/api/types'
import { Icon } from '../../../ui/Icon'

export function Remote({ block }: { block: MessageBlock }) {
  const safe = /^https?:\/\//i.test(block.remote)
  return (
    <div className="conv-file conv-remote">
      <Icon name={block.kind === 'image' ? 'image' : 'file'} />
      <span className="conv-file-name">
        {block.name || block.title || (block.kind === 'image' ? 'Remote image' : 'Remote file')}
      </span>
      <span className="conv-faint conv-address">{block.remote}</span>
      {safe && (
        <a href={block.remote} target="_blank" rel="noopener noreferrer nofollow" className="conv-go">
          Open <Icon name="external" size={12} />
        </a>
      )}
    </div>
  )
}
