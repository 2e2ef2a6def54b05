/** Counts of changed files and lines. */

import type { FileItem, FileTouch } from '../../data/api/types'

export interface FileCounts {
  files: number
  created: number
  modified: number
  deleted: number
  read: number
  added: number
  removed: number
}

/** Returns the lines that these changes added and removed. */
export function lines(touches: readonly FileTouch[]): { added: number; removed: number } {
  let added = 0
  let removed = 0
  for (const touch of touches) {
    added += touch.added ?? 0
    removed += touch.removed ?? 0
  }
  return { added, removed }
}

/** Returns the totals of all files. */
export function totals(files: readonly FileItem[]): FileCounts {
  const counts = { files: files.length, created: 0, modified: 0, deleted: 0, read: 0, added: 0, removed: 0 }
  for (const file of files) {
    if (file.kind !== 'unknown') counts[file.kind] += 1
    const { added, removed } = lines(file.touches)
    counts.added += added
    counts.removed += removed
  }
  return counts
}

/** Returns the files that one message changed, with only those changes. */
export function atMessage(files: readonly FileItem[], message: string | null, row: number | null): FileItem[] {
  const here = (touch: FileTouch): boolean => touch.message === message || (row !== null && touch.number === row)
  return files
    .map((file) => ({ ...file, touches: file.touches.filter(here) }))
    .filter((file) => file.touches.length > 0)
}

/** Whether the file was written, not only read. */
export function changed(file: FileItem): boolean {
  return file.touches.some((touch) => touch.kind !== 'read')
}

/** Returns the folder and the name of a path, which are styled differently. */
export function parts(path: string): [string, string] {
  const cut = path.lastIndexOf('/') + 1
  return [path.slice(0, cut), path.slice(cut)]
}
