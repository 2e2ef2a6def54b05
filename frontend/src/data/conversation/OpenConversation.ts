// A conversation that is open in this window: what the page itself knows of it. It is made when the address comes
// to it and left when the address goes elsewhere; with it go its composer, dialogs, messages and everything else
// that is about it. What the server knows of it is in the cache.

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

/** What is being written, and where: a reply, another version, or other words in place. */
export interface Writing {
  kind: WritingKind
  about: string | null
  /** What the box begins with. */
  text: string
}

/** A message is to be moved or swapped, and another one is to be chosen for that. */
export interface MoveMode {
  verb: 'move' | 'swap'
  about: string
}

/** A step into a sub-agent's branch. */
export interface TrailStep {
  /** The branch that was left, and the message it was left at. */
  leaf: string
  id: string | null
  label: string
  /** The sub-agent's branch. */
  into: string
}

/** The message that the last edit was about, which is to be seen. */
export interface Arrival {
  id: string
  number: number | null
}

/** What came on the current branch while another one is shown. */
export interface Elsewhere {
  /** How many messages there are more; 0 if only the current branch is another one. */
  messages: number
}

export interface Local {
  /** Whether to go along when it grows. */
  follow: boolean
  writing: Writing | null
  moveMode: MoveMode | null
  /** Branches that are chosen to be compared. */
  marked: readonly string[]
  /** The first message of the segment whose branch is being named. */
  renaming: string | null
  /** The way back from sub-agents. */
  trail: readonly TrailStep[]
  arrival: Arrival | null
  /** Long messages that are shown with nothing cut. */
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

/** Changes of a conversation that are on their way. */
interface Changes {
  count: number
  /** The revision that they lead to; null if the last of them is refused. */
  revision: Promise<string | null>
}

/** By conversation, as one may be left and opened again meanwhile. */
const onTheirWay = new Map<string, Changes>()

export class OpenConversation {
  readonly local: StoreApi<Local> = createStore(() => FRESH)
  readonly folds = new Folds()
  /** Where the list is to be when the next branch is shown. */
  aim: SetAim | null = null
  /** Where in the list the reader is, while one is shown. */
  position: () => Aim | null = () => null
  /** Where the reader was when it was open last, until the list has opened there. */
  last: LastPlace | null
  private isLeft = false

  constructor(readonly cid: string) {
    const { message, leaf } = currentRoute()
    this.last = message === null && leaf === null ? lastPlace(cid) : null
    // It may have changed since it was open last.
    queries.removeQueries({ queryKey: keyOf(this.path), exact: true })
    invalidateConversation(cid)
  }

  get path(): string {
    return path`/c/${this.cid}`
  }

  /** Whether the reader is elsewhere: nothing of the page may change for its sake any more. */
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

  /** The message that is pointed at. */
  get selected(): string | null {
    return this.isLeft ? null : currentRoute().message
  }

  set(part: Partial<Local>): void {
    this.local.setState(part)
  }

  /** Points at a message. */
  select(id: string | null): void {
    if (this.isLeft || currentRoute().message === id) return
    adjust({ message: id })
  }

  /** Shows another branch, and points at one of its messages. */
  showLeaf(leaf: string | null, id: string | null = this.selected): void {
    if (this.isLeft) return
    adjust({ message: id, leaf: leaf === this.data?.leaf ? null : leaf })
  }

  /** Shows a branch that begins like the one that is shown, and stays where the reader is. */
  stayOn(leaf: string | null): void {
    const at = this.position()
    this.showLeaf(leaf)
    if (at) this.aim = { at, selected: this.selected, revision: null }
  }

  /** Narrows the rows to those to which all this applies. */
  narrow(show: readonly string[]): void {
    if (!this.isLeft) adjust({ show })
  }

  setFollow(follow: boolean): void {
    if (this.local.getState().follow !== follow) this.set({ follow })
  }

  /** Asks for everything of it again. */
  refresh(): void {
    invalidateConversation(this.cid)
  }

  /** Whether a change of it is on its way to the server. */
  get isChanging(): boolean {
    return onTheirWay.has(this.cid)
  }

  /** When all changes that were asked for are made or refused. */
  async settled(): Promise<void> {
    await onTheirWay.get(this.cid)?.revision
  }

  /** Makes a change on the revision that is seen now; changes that were asked for before it come first, and then it
      is made on what they led to. */
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

  /** For a change that was asked for before it was left, and is ready while it is loaded again. */
  private async askRevision(): Promise<string> {
    return (await ask<ConversationDetails>(this.path)).stamp
  }

  /** Shows what an edit made. */
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
