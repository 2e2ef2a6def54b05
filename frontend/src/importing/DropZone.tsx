// The whole page takes files; while some are held over it, it says so.

import { useEffect, useState } from 'react'
import { Icon } from '../shell/Icon'
import { bring } from './imports'

export function DropZone() {
  const [over, setOver] = useState(false)
  useEffect(() => listen(setOver), [])
  if (!over) return null
  return (
    <div className="import-zone" aria-hidden="true">
      <div className="import-zone-box">
        <Icon name="import" size={32} />
        <p>Drop files to look them over</p>
        <p className="import-soft">Nothing is kept before you say so.</p>
      </div>
    </div>
  )
}

function listen(setOver: (over: boolean) => void): () => void {
  let depth = 0
  const holds = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  const enter = (event: DragEvent) => {
    if (!holds(event)) return
    event.preventDefault()
    depth += 1
    setOver(true)
  }
  const leave = (event: DragEvent) => {
    if (!holds(event)) return
    depth = Math.max(0, depth - 1)
    if (depth === 0) setOver(false)
  }
  const hover = (event: DragEvent) => {
    if (!holds(event) || event.defaultPrevented) return
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
  }
  const fall = (event: DragEvent) => {
    if (!holds(event)) return
    depth = 0
    setOver(false)
    // A message takes files as its attachments; then they are not ours.
    if (event.defaultPrevented) return
    event.preventDefault()
    bring([...(event.dataTransfer?.files ?? [])])
  }
  document.addEventListener('dragenter', enter)
  document.addEventListener('dragleave', leave)
  document.addEventListener('dragover', hover)
  document.addEventListener('drop', fall)
  return () => {
    document.removeEventListener('dragenter', enter)
    document.removeEventListener('dragleave', leave)
    document.removeEventListener('dragover', hover)
    document.removeEventListener('drop', fall)
  }
}
