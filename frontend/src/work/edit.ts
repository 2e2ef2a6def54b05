/** Every change goes through here: it carries the stamp it was made on, and can be taken back. */

import { asApiError, path, post } from '../api/client'
import type { Deed, Edited } from '../api/types'
import { getCurrent, reload } from '../shell/current'
import { toast } from '../shell/Toast'

/** Say what went wrong; what changed meanwhile is shown anew. */
export function tellProblem(problem: unknown): void {
  const { fault, status } = asApiError(problem)
  if (status === 409 && fault.stamp) {
    toast('It changed meanwhile, so nothing was done. This is how it is now; try again.', 'warning')
    void reload()
    return
  }
  toast(fault.hint ? `${fault.message} ${fault.hint}` : fault.message, 'error')
}

type Verb = 'undo' | 'redo'

let latest: Promise<Edited | null> = Promise.resolve(null)

/** Undo and redo are about what was done last, however fast the keys are pressed. */
function change(verb: Verb | 'edits', body: object): Promise<Edited | null> {
  latest = verb === 'edits' ? ask(verb, body) : latest.then(() => ask(verb, body))
  return latest
}

async function ask(verb: Verb | 'edits', body: object): Promise<Edited | null> {
  const { cid, stamp } = getCurrent()
  if (!cid || !stamp) return null
  try {
    const edited = await post<Edited>(path`/c/${cid}/${verb}`, { stamp, ...body })
    await reload(edited)
    return edited
  } catch (problem) {
    tellProblem(problem)
    return null
  }
}

/** Do one thing; says what it was, with a way back. */
export async function edit(deed: Deed): Promise<Edited | null> {
  const edited = await change('edits', { deed })
  if (edited) toast(sentence(edited.what), 'good', { text: 'Undo', run: () => void undo() })
  return edited
}

/** Take back the last edit that counts. */
export async function undo(): Promise<Edited | null> {
  const edited = await change('undo', {})
  if (edited) toast(sentence(edited.what), 'plain', { text: 'Redo', run: () => void redo() })
  return edited
}

/** Do again what was taken back last. */
export async function redo(): Promise<Edited | null> {
  const edited = await change('redo', {})
  if (edited) toast(sentence(edited.what), 'plain', { text: 'Undo', run: () => void undo() })
  return edited
}

/** Undo or redo several times, up to a point of the history; stops where one is refused. */
export async function walk(verb: Verb, times: number): Promise<number> {
  const { cid, stamp } = getCurrent()
  let last = null as Edited | null
  let done = 0
  try {
    while (cid && stamp && done < times) {
      last = await post<Edited>(path`/c/${cid}/${verb}`, { stamp: last?.stamp ?? stamp })
      done += 1
    }
  } catch (problem) {
    tellProblem(problem)
  }
  if (last) {
    await reload(last)
    const back: Verb = verb === 'undo' ? 'redo' : 'undo'
    const text = `${verb === 'undo' ? 'Undone' : 'Done again'}: ${done} ${done === 1 ? 'edit' : 'edits'}`
    toast(text, 'plain', { text: sentence(back), run: () => void walk(back, done) })
  }
  return done
}

/** Hang a message, with all below it, on another one; null makes it a beginning. */
export function moveMessage(about: string, to: string | null): Promise<Edited | null> {
  return edit({ do: 'move', about, to })
}

/** Two messages change places. */
export function swapMessages(about: string, other: string): Promise<Edited | null> {
  return edit({ do: 'swap', about, other })
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
