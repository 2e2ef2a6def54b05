/**
 * Every change goes through this module: it is based on one conversation and one revision, taken when it is requested,
 * and it can be undone.
 */

import { peek, putConversation, putPlace, renewConversation } from '../../data/api/cache'
import { asApiError, path, post } from '../../data/api/client'
import type {
  ApplyResult,
  ConversationDetails,
  EditAction,
  EditResult,
  Fixes,
  HistoryState,
  SaveResult,
  NavigationRequest,
} from '../../data/api/types'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { patchCard } from '../../data/cards'
import { dismissToasts, toast } from '../../ui/Toast'

/** Reports an error; after a conflict the new state is loaded. */
export function reportProblem(open: OpenConversation, problem: unknown): void {
  const { fault, status } = asApiError(problem)
  const where = open.left ? `${open.data?.title ?? 'The conversation before'}: ` : ''
  if (status === 409 && fault.stamp) {
    toast(
      `${where}It changed meanwhile, so nothing was done. ${open.left ? '' : 'This is how it is now; try again.'}`,
      'warning',
    )
    open.refresh()
    return
  }
  toast(where + (fault.hint ? `${fault.message} ${fault.hint}` : fault.message), 'error')
}

type Verb = 'undo' | 'redo'

interface State {
  conversation: ConversationDetails
  history: HistoryState
}

/** Stores the state that a change led to, wherever the reader is by now. */
function adopt(open: OpenConversation, { conversation, history }: State): void {
  putConversation(conversation, history)
  renewConversation(open.cid, [open.path, path`/c/${open.cid}/edits`])
  patchCard(open.cid, { edited: conversation.edited, messages: conversation.messages })
  dismissToasts(open.cid, 'actions')
}

async function change(
  open: OpenConversation,
  ask: (revision: string) => Promise<EditResult>,
): Promise<EditResult | null> {
  try {
    const edited = await open.change(async (revision) => {
      const made = await ask(revision)
      adopt(open, made)
      if (made.id !== null && made.leaf !== null && made.number !== null)
        putPlace(open.cid, { id: made.id, leaf: made.leaf, number: made.number })
      return made
    })
    open.arrive(edited)
    return edited
  } catch (problem) {
    reportProblem(open, problem)
    return null
  }
}

/** Makes an edit, and reports it with an undo button. */
export async function edit(open: OpenConversation, deed: EditAction): Promise<EditResult | null> {
  const edited = await change(open, (stamp) => post<EditResult>(path`/c/${open.cid}/edits`, { stamp, deed }))
  if (edited) offer(open, edited, 'good', 'undo')
  return edited
}

/** Undoes an edit: the named one, or the newest one known at the time of the request. */
export async function undo(open: OpenConversation, named?: number): Promise<EditResult | null> {
  const edited = await turn(open, 'undo', named)
  if (edited) offer(open, edited, 'plain', 'redo')
  return edited
}

/** Redoes an edit: the named one, or the one undone last. */
export async function redo(open: OpenConversation, named?: number): Promise<EditResult | null> {
  const edited = await turn(open, 'redo', named)
  if (edited) offer(open, edited, 'plain', 'undo')
  return edited
}

function turn(open: OpenConversation, verb: Verb, named?: number): Promise<EditResult | null> {
  // After pending edits, it applies to their result.
  const known = named ?? (open.isChanging ? undefined : nextOf(open, verb))
  return change(open, async (stamp) => {
    const about = known ?? nextOf(open, verb) ?? null
    const ask = (on: string) => post<EditResult>(path`/c/${open.cid}/${verb}`, { stamp: on, edit: about })
    try {
      return await ask(stamp)
    } catch (problem) {
      // It names its edit, so it may be made on another state, too: the server refuses it if that is not the next one.
      const { stamp: now } = asApiError(problem).fault
      if (about === null || now === null || now === stamp) throw problem
      return ask(now)
    }
  })
}

/** Returns the edit that the next undo or redo applies to, if known. */
function nextOf(open: OpenConversation, verb: Verb): number | undefined {
  const edits = peek<HistoryState>(path`/c/${open.cid}/edits`)?.edits ?? []
  if (verb === 'undo') return edits.findLast((one) => one.state === 'done')?.id
  return edits.find((one) => one.state === 'undone')?.id
}

function offer(open: OpenConversation, edited: EditResult, kind: 'good' | 'plain', back: Verb): void {
  if (open.left) return
  const run = () => void (back === 'undo' ? undo(open, edited.edit) : redo(open, edited.edit))
  toast(sentence(edited.what), kind, { action: { text: sentence(back), run }, conversation: open.cid })
}

/** Undoes or redoes several edits in a row; stops at the first refusal. */
export async function walk(open: OpenConversation, verb: Verb, edits: readonly number[]): Promise<void> {
  const done: number[] = []
  const edited = await change(open, async (stamp) => {
    let last = null as EditResult | null
    for (const one of edits) {
      try {
        last = await post<EditResult>(path`/c/${open.cid}/${verb}`, { stamp: last?.stamp ?? stamp, edit: one })
      } catch (problem) {
        if (!last) throw problem
        reportProblem(open, problem)
        break
      }
      done.push(one)
    }
    if (!last) throw new Error('There is nothing to do.')
    return last
  })
  if (!edited || open.left) return
  const back: Verb = verb === 'undo' ? 'redo' : 'undo'
  const text = `${verb === 'undo' ? 'Undone' : 'Done again'}: ${done.length} ${done.length === 1 ? 'edit' : 'edits'}`
  const run = () => void walk(open, back, done.toReversed())
  toast(text, 'plain', { action: { text: sentence(back), run }, conversation: open.cid })
}

/** Writes the edits into the file. */
export async function save(open: OpenConversation): Promise<SaveResult> {
  return open.change(async (stamp) => {
    const saved = await post<SaveResult>(path`/c/${open.cid}/save`, { stamp })
    adopt(open, saved)
    return saved
  })
}

/** Makes the repair of a shown plan, on the revision of that plan. */
export async function repair(open: OpenConversation, { stamp }: Fixes, codes: readonly string[]): Promise<Fixes> {
  return open.change(async () => {
    const made = await post<Fixes>(path`/c/${open.cid}/fixes`, { stamp, codes, apply: true })
    if (made.conversation && made.history) adopt(open, { conversation: made.conversation, history: made.history })
    return made
  })
}

/** A move of a session; each choice is one that the server offered. */
type Move = Omit<NavigationRequest, 'choices'> & { choices: Record<string, string> }

/** Applies the plan with this digest to the files of a session. */
export async function applyPlan(open: OpenConversation, travel: Move, digest: string): Promise<ApplyResult> {
  return open.change(async () => {
    const applied = await post<ApplyResult>(path`/c/${open.cid}/session/apply`, { travel, digest })
    adopt(open, applied)
    return applied
  })
}

/** Moves a message with everything below it under another one; null makes it a root. */
export function moveMessage(open: OpenConversation, about: string, to: string | null): Promise<EditResult | null> {
  return edit(open, { do: 'move', about, to })
}

/** Swaps two messages. */
export function swapMessages(open: OpenConversation, about: string, other: string): Promise<EditResult | null> {
  return edit(open, { do: 'swap', about, other })
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
