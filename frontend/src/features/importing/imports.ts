// The uploads: their states and actions.

import { asApiError, isAbort, path, remove, upload } from '../../data/api/client'
import { cancelJob, follow, startJob } from '../../data/api/jobs'
import type { JobState } from '../../data/api/types'
import { invalidate } from '../../data/api/use'
import { closeNamed } from '../../ui/overlay/stack'
import { toast } from '../../ui/Toast'
import { parcel, type Parcel } from './folders'
import { importJob, items, type Item } from './items'
import { openImport } from './openImport'

const sending = new Map<number, AbortController>()
const parcels = new Map<number, Parcel>()
let last = 0

/** Asks for files. */
export function chooseFiles(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.onchange = () => bring([...(input.files ?? [])].map(parcel))
  input.click()
}

/** Uploads files and folders, one after the other, because the server inspects each. */
export function bring(chosen: readonly Parcel[]): void {
  if (chosen.length === 0) return
  const made = chosen.map((one): Item => {
    const id = ++last
    parcels.set(id, one)
    return {
      id,
      name: one.name,
      folder: one.folder,
      size: one.size,
      state: 'waiting',
      sent: 0,
      upload: null,
      to: null,
      job: null,
      unwanted: false,
      trouble: '',
    }
  })
  items.set((now) => [...(now ?? []), ...made])
  openImport(dropAll)
  void sendNext()
}

export function change(id: number, part: Partial<Item>): void {
  items.set((now) => now && now.map((item) => (item.id === id ? { ...item, ...part } : item)))
}

async function sendNext(): Promise<void> {
  const next = items.get()?.find((item) => item.state === 'waiting')
  if (!next || sending.size > 0) return
  const one = parcels.get(next.id)
  const stop = new AbortController()
  sending.set(next.id, stop)
  change(next.id, { state: 'sending' })
  try {
    const made = await upload(
      next.name,
      one?.body ?? new Blob(),
      { folder: next.folder },
      (sent) => change(next.id, { sent }),
      stop.signal,
    )
    change(next.id, {
      upload: made,
      state: made.format === null ? 'unknown' : 'ready',
      trouble: made.format === null ? made.reason : '',
    })
  } catch (error) {
    if (!isAbort(error)) change(next.id, { state: 'failed', trouble: asApiError(error).fault.message })
  } finally {
    sending.delete(next.id)
    parcels.delete(next.id)
    void sendNext()
  }
}

/** Keeps an upload, in the chosen format. */
export async function keep(item: Item): Promise<void> {
  if (!item.upload) return
  change(item.id, { state: 'keeping', unwanted: false, trouble: '' })
  try {
    const job = await startJob(path`/uploads/${item.upload.upload}/keep`, { to: item.to })
    change(item.id, { job })
    if (items.get()?.find((one) => one.id === item.id)?.unwanted) void cancelJob(job.id)
    follow(
      job.id,
      (step) => change(item.id, { job: step }),
      (ended) => end(item.id, ended),
    )
  } catch (error) {
    change(item.id, { state: 'failed', trouble: asApiError(error).fault.message })
  }
}

/** Cancels keeping it; the job may only be about to begin. */
export function stopKeeping(item: Item): void {
  change(item.id, { unwanted: true })
  if (item.job) void cancelJob(item.job.id)
}

function end(id: number, job: JobState): void {
  if (job.state === 'done') change(id, { state: 'kept', job })
  else if (job.state === 'cancelled') change(id, { state: 'ready', job: null })
  else change(id, { state: 'failed', trouble: job.error?.message ?? 'It could not be kept.' })
  invalidate('/conversations')
  invalidate('/about')
  invalidate('/statistics')
}

/** Removes an upload from the list, and discards what was sent. */
export function drop(item: Item): void {
  sending.get(item.id)?.abort()
  parcels.delete(item.id)
  if (item.upload && item.state !== 'kept' && item.state !== 'keeping')
    void remove(path`/uploads/${item.upload.upload}`).catch(() => undefined)
  items.set((now) => {
    const rest = now?.filter((one) => one.id !== item.id) ?? []
    return rest.length > 0 ? rest : null
  })
  if (items.get() === null) closeNamed('import')
}

export function dropAll(): void {
  for (const item of items.get() ?? []) drop(item)
  items.set(null)
  closeNamed('import')
}

/** Checks all imported places again; with `known` also the places of programs on this machine. */
export async function importPlaces(known: boolean): Promise<void> {
  try {
    const job = await startJob('/imports', { known })
    importJob.set(job.id)
  } catch (error) {
    toast(asApiError(error).fault.message, 'error')
  }
}
