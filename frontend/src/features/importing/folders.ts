// Walks dropped folders: finds the files that may be conversations, and the folders that are one.

const LIKELY = /\.(jsonl|json|md|text|txt|eml|xml)$/i
/** Folders of other programs that contain no conversations, but many files. */
const PASSED_OVER = new Set(['.git', 'node_modules', '__pycache__', '.venv'])
/** Files of a folder that is one conversation as a whole. */
const PART = /^(messages\.jsonl|snapshots\.jsonl|metadata\.json|\d{1,18}\.md)$/
export const MOST = 500
/** Maximum number of files in a folder that is a conversation. */
const MOST_INSIDE = 10_000

/** One upload. */
export interface Parcel {
  name: string
  size: number
  body: Blob
  folder: boolean
}

export interface Walked {
  parcels: Parcel[]
  /** Whether there are more files than the limit. */
  more: boolean
}

/** Returns the dragged entries; must be called during the event, because the browser drops them afterwards. */
export function entriesOf(held: DataTransfer | null): FileSystemEntry[] {
  return [...(held?.items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
}

/** Walks the dropped entries; a file dropped directly is always uploaded. */
export async function walked(dropped: readonly FileSystemEntry[]): Promise<Walked> {
  const found: Walked = { parcels: [], more: false }
  const folders: FileSystemDirectoryEntry[] = []
  for (const entry of dropped) {
    if (isFolder(entry)) folders.push(entry)
    else if (isFile(entry)) await take(entry, found)
  }
  for (let folder = folders.shift(); folder && !found.more; folder = folders.shift()) {
    const inside = await listed(folder)
    if (inside.some((entry) => entry.isFile && PART.test(entry.name))) {
      await takeWhole(folder, found)
      continue
    }
    for (const entry of inside) {
      if (isFolder(entry) && !PASSED_OVER.has(entry.name)) folders.push(entry)
      else if (isFile(entry) && LIKELY.test(entry.name)) await take(entry, found)
    }
  }
  return found
}

async function take(entry: FileSystemFileEntry, found: Walked): Promise<void> {
  if (found.parcels.length >= MOST) found.more = true
  else found.parcels.push(parcel(await fileOf(entry)))
}

/** Returns a file as an upload. */
export function parcel(file: File): Parcel {
  return { name: file.name, size: file.size, body: file, folder: false }
}

/** Adds a folder that is one conversation, with everything below it. */
async function takeWhole(folder: FileSystemDirectoryEntry, found: Walked): Promise<void> {
  const inside: [string, File][] = []
  const folders = [folder]
  for (let next = folders.shift(); next; next = folders.shift()) {
    for (const entry of await listed(next)) {
      if (isFolder(entry)) folders.push(entry)
      else if (isFile(entry)) inside.push([entry.fullPath.slice(folder.fullPath.length + 1), await fileOf(entry)])
    }
    if (inside.length > MOST_INSIDE || found.parcels.length >= MOST) {
      found.more = true
      return
    }
  }
  found.parcels.push(packed(folder.name, inside))
}

/** Returns a line that lists the files, and then the files; the browser reads them from disk while they are sent. */
export function packed(name: string, inside: readonly [string, File][]): Parcel {
  const list = JSON.stringify(inside.map(([path, file]) => [path, file.size]))
  const size = inside.reduce((sum, [, file]) => sum + file.size, 0)
  return { name, size, body: new Blob([list, '\n', ...inside.map(([, file]) => file)]), folder: true }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((done, failed) => entry.file(done, failed))
}

/** Returns all entries of a folder, sorted by name; browsers return a hundred at a time. */
async function listed(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (some.length === 0) return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    all.push(...some)
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}
