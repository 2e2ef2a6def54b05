// A conversation that is open in this window: the page's own state of it. It is created when the address names it and
// dropped when the address changes, together with its composer, dialogs, messages and everything else that belongs to
// it. The server's state of it is in the cache.

import { createStore, type StoreApi } from 'zustand/vanilla'
import { ask, invalidateConversation, keyOf, peek, queries } from '../api/cache'
import { path } from '../api/client'
import type { ConversationDetails, EditResult } from '../api/types'
import { closeConversation } from '../../ui/overlay/stack'
import { adjust, currentRoute } from '../../lib/router'
import { dismissToasts } from '../../ui/Toast'
import { Folds } from './folds'
import { aim, type Aim, type SetAim } from './aim'
import { lastPlace, type LastPlace } from './lastPlaces'

export type WritingKind = 'reply' | 'revise' | 'replace'

/** What is being written, and where: a reply, another version, or a replaced text. */
export interface Writing {
  kind: WritingKind
  about: string | null
  /** The initial text of the box. */
  text: string
}

/** The mode in which a second message is chosen, to move or swap one. */
export interface MoveMode {
  verb: 'move' | 'swap'
  about: string
}

/** A step into a sub-agent's branch. */
export interface TrailStep {
  /** The branch that was left, and the message on it. */
  leaf: string
  id: string | null
  label: string
  /** The sub-agent's branch. */
  into: string
}

/** The message of the last edit, which is scrolled into view. */
export interface Arrival {
  id: string
  number: number | null
}

/** New messages on the current branch while another one is shown. */
export interface Elsewhere {
  /** Number of new messages; 0 if only the current branch has changed. */
  messages: number
}

export interface Local {
  /** Whether to scroll along when it grows. */
  follow: boolean
  writing: Writing | null
  moveMode: MoveMode | null
  /** Branches that are selected for comparison. */
  marked: readonly string[]
  /** The first message of the segment whose branch is being named. */
  renaming: string | null
  /** The way back from sub-agents. */
  trail: readonly TrailStep[]
  arrival: Arrival | null
  /** Long messages that are shown in full. */
  whole: readonly string[]
  /** Whether its file grew a moment ago. */
  growing: boolean
  /** Whether it was forgotten, here or in another window. */
  forgotten: boolean
  elsewhere: Elsewhere | null
}

const FRESH: Local = {
  follow: false,
  writing: null,
  moveMode: null,
  marked: [],
  renaming: null,
  trail: [],
  arrival: null,
  whole: [],
  growing: false,
  forgotten: false,
  elsewhere: null,
}

/** Pending changes of a conversation. */
interface Changes {
  count: number
  /** The revision that they lead to; null if the last of them is refused. */
  revision: Promise<string | null>
}

/** By conversation, because one may be closed and opened again meanwhile. */
const onTheirWay = new Map<string, Changes>()

export class OpenConversation {
  readonly local: StoreApi<Local> = createStore(() => FRESH)
  readonly folds = new Folds()
  /** The scroll target for the next branch. */
  aim: SetAim | null = null
  /** The reader's place in the list, while one is shown. */
  position: () => Aim | null = () => null
  /** The reader's last place, until the list has opened there. */
  last: LastPlace | null
  private isLeft = false

  constructor(readonly cid: string) {
    const { message, leaf } = currentRoute()
    this.last = message === null && leaf === null ? lastPlace(cid) : null
    // It may have changed since it was last open.
    queries.removeQueries({ queryKey: keyOf(this.path), exact: true })
    invalidateConversation(cid)
  }

  get path(): string {
    return path`/c/${this.cid}`
  }

  /** Whether the reader has left it: it must not change the page any more. */
  get left(): boolean {
    return this.isLeft
  }

  get data(): ConversationDetails | null {
    return peek<ConversationDetails>(this.path) ?? null
  }

  get revision(): string | null {
    return this.data?.stamp ?? null
  }

  /** The branch that is shown. */
  get leaf(): string | null {
    return (this.isLeft ? null : currentRoute().leaf) ?? this.data?.leaf ?? null
  }

  /** The selected message. */
  get selected(): string | null {
    return this.isLeft ? null : currentRoute().message
  }

  set(part: Partial<Local>): void {
    this.local.setState(part)
  }

  /** Selects a message. */
  select(id: string | null): void {
    if (this.isLeft || currentRoute().message === id) return
    adjust({ message: id })
  }

  /** Shows another branch, and selects one of its messages. */
  showLeaf(leaf: string | null, id: string | null = this.selected): void {
    if (this.isLeft) return
    adjust({ message: id, leaf: leaf === this.data?.leaf ? null : leaf })
  }

  /** Shows a branch with the same beginning, and keeps the scroll position. */
  stayOn(leaf: string | null): void {
    const at = this.position()
    this.showLeaf(leaf)
    if (at) this.aim = { at, selected: this.selected, revision: null }
  }

  /** Filters the rows by these terms. */
  narrow(show: readonly string[]): void {
    if (!this.isLeft) adjust({ show })
  }

  setFollow(follow: boolean): void {
    if (this.local.getState().follow !== follow) this.set({ follow })
  }

  /** Requests all its data again. */
  refresh(): void {
    invalidateConversation(this.cid)
  }

  /** Whether a change of it is being sent to the server. */
  get isChanging(): boolean {
    return onTheirWay.has(this.cid)
  }

  /** Resolves when all requested changes are made or refused. */
  async settled(): Promise<void> {
    await onTheirWay.get(this.cid)?.revision
  }

  /** Makes a change on the visible revision; earlier changes are made first, and then it is made on their result. */
  async change<T extends { stamp: string }>(make: (revision: string) => Promise<T>): Promise<T> {
    const seen = this.revision
    const changes = onTheirWay.get(this.cid) ?? { count: 0, revision: Promise.resolve(null) }
    onTheirWay.set(this.cid, changes)
    changes.count += 1
    const made = changes.revision.then(async (after) => make(after ?? seen ?? (await this.askRevision())))
    changes.revision = made.then(
      (done) => done.stamp,
      () => null,
    )
    try {
      return await made
    } finally {
      changes.count -= 1
      if (changes.count === 0) onTheirWay.delete(this.cid)
    }
  }

  /** For a change that was requested before the conversation was left, and is made while it is loaded again. */
  private async askRevision(): Promise<string> {
    return (await ask<ConversationDetails>(this.path)).stamp
  }

  /** Shows the result of an edit. */
  arrive({ leaf, id, number }: EditResult): void {
    if (this.isLeft) return
    const before = currentRoute().leaf
    this.showLeaf(leaf, id ?? this.selected)
    if (currentRoute().leaf !== before && number !== null) aim(this, { kind: 'row', index: number })
    else if (id !== null) this.set({ arrival: { id, number } })
  }

  leave(): void {
    this.isLeft = true
    closeConversation(this.cid)
    dismissToasts(this.cid)
  }
}
