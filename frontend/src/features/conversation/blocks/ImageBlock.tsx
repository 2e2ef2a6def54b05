// An image in the conversation; a remote one is only named.

import { useState } from 'react'
import { useSigned } from '../../../data/api/key'
import type { MessageBlock } from '../../../data/api/types'
import { DialogBody } from '../../../ui/overlay/DialogBody'
import { openOverlay } from '../../../ui/overlay/stack'
import { Icon } from '../../../ui/Icon'
import { bytes } from '../../../lib/words'
import { Remote } from './Remote'

interface Props {
  block: MessageBlock
  cid: string
  id: string
}

export function imageAddress(cid: string, id: string, number: number): string {
  return `/img/${encodeURIComponent(cid)}/${encodeURIComponent(id)}/${number}`
}

export function ImageBlock({ block, cid, id }: Props) {
  const [broken, setBroken] = useState(false)
  const source = useSigned(block.remote ? null : imageAddress(cid, id, block.number))
  if (block.remote) return <Remote block={block} />
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
    <button
      type="button"
      className="conv-image"
      onClick={() => enlarge(cid, source, text)}
      aria-label={`Enlarge ${text}`}
      title={title(block)}
    >
      <img src={source} alt={text} loading="lazy" decoding="async" onError={() => setBroken(true)} />
    </button>
  )
}

function enlarge(cid: string, source: string | undefined, text: string): void {
  const render = () => (
    <DialogBody>
      <img src={source} alt={text} />
    </DialogBody>
  )
  openOverlay({
    name: 'image',
    shape: 'dialog',
    title: text,
    wide: true,
    className: 'conv-lightbox',
    conversation: cid,
    render,
  })
}

function title(block: MessageBlock): string {
  return [block.name || block.title, block.media_type, block.size === null ? '' : bytes(block.size)]
    .filter(Boolean)
    .join(' · ')
}
