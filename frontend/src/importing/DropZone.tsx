// The whole page takes files; while some are held over it, it says so.

import { useEffect, useState } from 'react'
import { Icon } from '../shell/Icon'
import { toast } from '../shell/Toast'
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

/** A browser hands a folder over as a file without content. */
function foldersIn(held: DataTransfer | null): Set<string> {
  const entries = [...(held?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null)
  return new Set(entries.filter((entry) => entry?.isDirectory).map((entry) => entry?.name ?? ''))
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
    const folders = foldersIn(event.dataTransfer)
    if (folders.size > 0) toast('A folder cannot be dropped. Take it in with: talktree import FOLDER', 'warning')
    bring([...(event.dataTransfer?.files ?? [])].filter((file) => !folders.has(file.name)))
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
