/** Attaching files to messages. */

import { path, remove, upload } from '../../data/api/client'
import { toast } from '../../ui/Toast'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { confirmAttachment } from './dialogs'
import { edit, reportProblem } from './edit'

/** Asks for files; returns none if the choice is cancelled. */
export function chooseFiles(): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.multiple = true
    input.addEventListener('change', () => resolve([...(input.files ?? [])]))
    input.addEventListener('cancel', () => resolve([]))
    input.click()
  })
}

/**
 * Uploads the files one after the other, and attaches each to the message. The server refuses dangerous ones; the
 * reader confirms suspicious ones.
 */
export async function attach(open: OpenConversation, about: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    try {
      if (file.size > 1_000_000) toast(`Reading ${file.name}…`, 'plain')
      const { upload: id, name, warnings } = await upload(file.name, file, { attach: true, type: file.type })
      const accept = warnings.length > 0
      if (accept && !(await confirmAttachment(open, name, warnings))) {
        await remove(path`/uploads/${id}`)
        continue
      }
      await edit(open, { do: 'attach', about, upload: id, accept, type: file.type })
    } catch (problem) {
      return reportProblem(open, problem)
    }
  }
}
