// Importing: files dropped anywhere, the dialog about them, and the import of places.

import { lazy, Suspense, useEffect } from 'react'
import { cancelJob, useJob } from '../api/jobs'
import { useStore } from '../api/store'
import type { About, Job } from '../api/types'
import { invalidate } from '../api/use'
import { useKeys } from '../keys/use'
import { Progress } from '../shell/Progress'
import { toast } from '../shell/Toast'
import { DropZone } from './DropZone'
import { chooseFiles, importJob, importPlaces, items } from './imports'
import './importing.css'

const ImportDialog = lazy(() => import('./ImportDialog'))

export function ImportHost({ about }: { about: About | null }) {
  const bringing = useStore(items) !== null
  const writable = about !== null && !about.read_only
  const running = about?.job ?? null
  useEffect(() => {
    if (running !== null) importJob.set(running)
  }, [running])
  useKeys([
    { text: 'Import files', group: 'Library', run: () => chooseFiles(), when: writable },
    { text: 'Import known places', group: 'Library', run: () => void importPlaces(true), when: writable },
    { text: 'Look for what is new in all places', group: 'Library', run: () => void importPlaces(false), when: writable },
  ])
  return (
    <>
      {writable && <DropZone />}
      <PlacesProgress />
      {bringing && (
        <Suspense fallback={null}>
          <ImportDialog formats={about?.formats ?? []} />
        </Suspense>
      )}
    </>
  )
}

function PlacesProgress() {
  const id = useStore(importJob)
  const job = useJob(id, ended)
  if (id === null || !job || job.state !== 'running') return null
  return (
    <div className="import-places" role="status">
      <Progress label="Importing" done={job.done} total={job.total} text={job.text} onCancel={() => void cancelJob(id)} />
    </div>
  )
}

function ended(job: Job): void {
  importJob.set(null)
  for (const what of ['/conversations', '/about', '/statistics']) invalidate(what)
  if (job.state === 'failed') toast(job.error?.message ?? 'The import failed.', 'error')
  else if (job.state === 'done') toast(job.text || 'Everything is taken in.', 'good')
}
