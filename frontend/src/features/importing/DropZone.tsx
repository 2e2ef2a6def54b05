// Accepts files dropped anywhere on the page, with a hint while they are dragged.

import { useEffect, useState } from 'react'
import { Icon } from '../../ui/Icon'
import { toast } from '../../ui/Toast'
import { entriesOf, MOST, parcel, walked } from './folders'
import { bring } from './imports'

export function DropZone() {
  const [over, setOver] = useState(false)
  useEffect(() => listen(setOver), [])
  if (!over) return null
  return (
    <div className="import-zone" aria-hidden="true">
      <div className="import-zone-box">
        <Icon name="import" size={32} />
        <p>Drop files or folders to look them over</p>
        <p className="import-soft">Nothing is kept before you say so.</p>
      </div>
    </div>
  )
}

/** Uploads what was dropped, and reports what cannot be uploaded. */
async function takeUp(dropped: readonly FileSystemEntry[]): Promise<void> {
  try {
    const found = await walked(dropped)
    bring(found.parcels)
    if (found.more)
      toast(`Only the first ${MOST} files are looked at. Take the folder in with: talktree import FOLDER`, 'warning')
    else if (found.parcels.length === 0) toast('There is no conversation in that folder.', 'warning')
  } catch {
    toast('That could not be read.', 'error')
  }
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
    // A message accepts files as attachments; then they are not handled here.
    if (event.defaultPrevented) return
    event.preventDefault()
    const dropped = entriesOf(event.dataTransfer)
    // A drop by a script has no entries.
    if (dropped.length > 0) void takeUp(dropped)
    else bring([...(event.dataTransfer?.files ?? [])].map(parcel))
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
