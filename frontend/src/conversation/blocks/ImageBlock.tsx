// An image that the conversation has; a remote one is only named.

import { useState } from 'react'
import type { Block } from '../../api/types'
import { Dialog } from '../../shell/Dialog'
import { Icon } from '../../shell/Icon'
import { bytes } from '../words'
import { Remote } from './Remote'

interface Props {
  block: Block
  cid: string
  id: string
}

export function imageAddress(cid: string, id: string, number: number): string {
  return `/img/${encodeURIComponent(cid)}/${encodeURIComponent(id)}/${number}`
}

export function ImageBlock({ block, cid, id }: Props) {
  const [large, setLarge] = useState(false)
  const [broken, setBroken] = useState(false)
  if (block.remote) return <Remote block={block} />
  const source = imageAddress(cid, id, block.number)
  const text = block.name || block.title || 'Image'
  if (broken) {
    return (
      <div className="conv-file">
        <Icon name="image" /> <span className="conv-file-name">{text}</span>
        <span className="conv-faint">cannot be shown</span>
      </div>
    )
  }
  return (
    <>
      <button type="button" className="conv-image" onClick={() => setLarge(true)} aria-label={`Enlarge ${text}`} title={title(block)}>
        <img src={source} alt={text} loading="lazy" decoding="async" onError={() => setBroken(true)} />
      </button>
      {large && (
        <Dialog title={text} onClose={() => setLarge(false)} wide className="conv-lightbox">
          <img src={source} alt={text} />
        </Dialog>
      )}
    </>
  )
}

function title(block: Block): string {
  return [block.name || block.title, block.media_type, block.size === null ? '' : bytes(block.size)].filter(Boolean).join(' · ')
}
