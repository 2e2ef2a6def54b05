// What was dropped, folders gone through: the files in them that may be conversations.

const LIKELY = /\.(jsonl|json|md|text|txt|eml|xml)$/i
/** Folders of other programs that hold no conversations, but many files. */
const PASSED_OVER = new Set(['.git', 'node_modules', '__pycache__', '.venv'])
/** Files of a folder that is one conversation as a whole. */
const PART = /^(messages\.jsonl|snapshots\.jsonl|metadata\.json|\d{1,18}\.md)$/
export const MOST = 500

export interface Walked {
  files: File[]
  /** Folders that are one conversation in several files, by their paths. */
  whole: string[]
  /** Whether there are more files than can be looked at. */
  more: boolean
}

/** What is held over the page; asked at once, as the browser forgets it when the event is over. */
export function entriesOf(held: DataTransfer | null): FileSystemEntry[] {
  return [...(held?.items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
}

/** Goes through what was dropped; a file that is no folder's is always taken. */
export async function walked(dropped: readonly FileSystemEntry[]): Promise<Walked> {
  const found: Walked = { files: [], whole: [], more: false }
  const folders: FileSystemDirectoryEntry[] = []
  for (const entry of dropped) {
    if (isFolder(entry)) folders.push(entry)
    else if (isFile(entry)) await take(entry, found)
  }
  for (let folder = folders.shift(); folder && !found.more; folder = folders.shift()) {
    const inside = await listed(folder)
    if (inside.some((entry) => entry.isFile && PART.test(entry.name))) {
      found.whole.push(folder.fullPath.replace(/^\//, '') || folder.name)
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
  if (found.files.length >= MOST) found.more = true
  else found.files.push(await new Promise<File>((done, failed) => entry.file(done, failed)))
}

/** All of a folder, in the order of their names; a browser gives a hundred at a time. */
async function listed(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (some.length === 0) return all.sort((a, b) => (a.name < b.name ? -1 : 1))
    all.push(...some)
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}
