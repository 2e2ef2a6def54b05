// Importing: files dropped anywhere, the dialog about them, and the import of places.

import { useEffect } from 'react'
import { cancelJob, useJob } from '../../data/api/jobs'
import { useStore } from '../../lib/store'
import type { StudioInfo, JobState } from '../../data/api/types'
import { invalidate } from '../../data/api/use'
import { useKeys } from '../../ui/keys/use'
import { Progress } from '../../ui/Progress'
import { toast } from '../../ui/Toast'
import { DropZone } from './DropZone'
import { chooseFiles, importPlaces } from './imports'
import { importJob } from './items'
import './importing.css'

export function ImportHost({ about }: { about: StudioInfo | null }) {
  const writable = about !== null && !about.read_only
  const running = about?.job ?? null
  useEffect(() => {
    if (running !== null) importJob.set(running)
  }, [running])
  useKeys([
    { text: 'Import files', group: 'Library', run: () => chooseFiles(), when: writable },
    { text: 'Import known places', group: 'Library', run: () => void importPlaces(true), when: writable },
    {
      text: 'Look for what is new in all places',
      group: 'Library',
      run: () => void importPlaces(false),
      when: writable,
    },
  ])
  return (
    <>
      {writable && <DropZone />}
      <PlacesProgress />
    </>
  )
}

function PlacesProgress() {
  const id = useStore(importJob)
  const job = useJob(id, ended)
  if (id === null || !job || job.state !== 'running') return null
  return (
    <div className="import-places" role="status">
      <Progress
        label="Importing"
        done={job.done}
        total={job.total}
        text={job.text}
        onCancel={() => void cancelJob(id)}
      />
    </div>
  )
}

function ended(job: JobState): void {
  importJob.set(null)
  for (const what of ['/conversations', '/about', '/statistics']) invalidate(what)
  if (job.state === 'failed') toast(job.error?.message ?? 'The import failed.', 'error')
  else if (job.state === 'done') toast(job.text || 'Everything is taken in.', 'good')
}
