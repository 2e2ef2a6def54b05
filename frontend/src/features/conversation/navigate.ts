// Navigation in the list: by rows, by prompts, to the ends, to any message.

import { ask } from '../../data/api/cache'
import { asApiError, path } from '../../data/api/client'
import type { MessagePlace, Row } from '../../data/api/types'
import { aim, type Aim } from '../../data/conversation/aim'
import type { OpenConversation } from '../../data/conversation/OpenConversation'
import { toast } from '../../ui/Toast'
import { NONE_SELECTED } from '../editing/refusals'
import { recall, remember } from './choices'
import { NOT_HERE, type List } from './list'
import type { ListHandle } from './RowList'
import { indexOfNumber, isPrompt, nextWhere } from './seek'

/** Moves the selection through one list. */
export class Navigator {
  /** The selected row, even if it is not loaded yet. */
  cursor = -1
  private waiting = -1
  /** The selection when the wait began: if the reader selects something else meanwhile, that counts. */
  private selectedBefore: string | null = null
  /** The message selected by this navigator, which is in view. */
  private own: string | null = null
  /** The message to bring into view, while the rows may be those before an edit. */
  private expected: string | null = null

  constructor(
    private readonly open: OpenConversation,
    readonly list: List,
    private readonly handle: () => ListHandle | null,
  ) {}

  /** The list opened here; its target is selected. */
  begin(index: number, at: Aim | null): void {
    this.cursor = index
    if (!at || at.kind === 'end' || ('quiet' in at && at.quiet)) return
    this.waiting = index
    this.selectedBefore = this.list.selected
    this.settle()
  }

  /** Selects a row and scrolls it into view. */
  to(index: number, align: 'auto' | 'start' | 'center' | 'end' = 'auto', focus = true): void {
    const total = this.list.pages.total
    if (!total) return
    this.cursor = Math.max(0, Math.min(total - 1, index))
    const row = this.list.pages.row(this.cursor)
    this.waiting = row ? -1 : this.cursor
    this.selectedBefore = this.open.selected
    if (row) this.point(row)
    this.handle()?.scrollTo(this.cursor, align)
    if (focus) this.handle()?.focusRow(this.cursor)
  }

  step(by: 1 | -1): void {
    const at = this.here()
    if (at < 0) return this.to(this.handle()?.range()[by > 0 ? 0 : 1] ?? 0)
    if (by < 0) this.open.setFollow(false)
    this.to(at + by)
  }

  /** Returns why a step is not possible. */
  whyNoStep(by: 1 | -1): string | null {
    const at = this.here()
    if (at < 0) return null
    if (by > 0) return at < this.list.pages.total - 1 ? null : 'This is the last message.'
    // While only the end is loaded, there may be more above it.
    return at > 0 || this.list.tail ? null : 'This is the first message.'
  }

  async prompt(step: 1 | -1): Promise<void> {
    if (step < 0) this.open.setFollow(false)
    const from = this.here() < 0 ? (this.handle()?.range()[0] ?? 0) : this.here()
    const found = await nextWhere(this.list.pages, from, step, isPrompt)
    if (found >= 0) this.to(found, 'start')
    else toast(step > 0 ? 'No later prompt' : 'No earlier prompt')
  }

  first(): void {
    this.open.setFollow(false)
    // While only the end is loaded, the whole list is opened there.
    if (this.list.tail) aim(this.open, { kind: 'row', index: 0 })
    else this.to(0, 'start')
  }

  end(): void {
    this.to(this.list.pages.total - 1, 'end')
    this.handle()?.scrollToEnd()
  }

  /** The selected row, if it is loaded. */
  row(): Row | undefined {
    return this.list.pages.row(this.here())
  }

  /**
   * Returns the row for an action: the selected one, or the last one; it is scrolled into view. If it is being loaded,
   * waits for it.
   */
  target(): Row | Promise<Row | undefined> {
    const nothing = this.waiting < 0 && this.open.selected === null
    const at = nothing ? this.list.pages.total - 1 : this.here()
    const [first, last] = this.handle()?.range() ?? [0, 0]
    if (at >= 0 && (at < first || at > last)) this.handle()?.scrollTo(at, 'auto')
    return this.list.pages.row(at) ?? this.list.pages.load(at)
  }

  /** Selects a row that was loaded meanwhile. */
  settle(): void {
    if (this.expected !== null) this.find(this.expected)
    if (this.waiting < 0) return
    if (this.open.selected !== this.selectedBefore) this.waiting = -1
    const row = this.list.pages.row(this.waiting)
    if (!row) return
    this.waiting = -1
    this.point(row)
  }

  /** Selects a row that is in view. */
  point(row: Row): void {
    this.own = row.id
    this.open.select(row.id)
  }

  /** Shows a message that was selected elsewhere. */
  async show(id: string): Promise<void> {
    if (id === this.own) return
    this.own = null
    const known = this.list.pages.find(id)
    if (known >= 0) {
      const [first, last] = this.handle()?.range() ?? [0, 0]
      this.cursor = known
      if (known <= first || known >= last) this.handle()?.scrollTo(known, 'start')
      this.expected = this.isFresh(known) ? null : id
      return
    }
    await this.seek(id)
  }

  /** Searches new rows for a message: an edit may have moved it. */
  private find(id: string): void {
    const at = this.list.pages.find(id)
    if (this.open.selected !== id) this.expected = null
    else if (at >= 0 && this.isFresh(at)) {
      this.expected = null
      this.cursor = at
      this.bringIntoView(at)
    } else if (at < 0 && this.isFresh(this.cursor)) {
      this.expected = null
      void this.seek(id)
    }
  }

  private isFresh(index: number): boolean {
    return this.list.pages.isFresh(index, this.open.revision)
  }

  private bringIntoView(index: number): void {
    const [first, last] = this.handle()?.range() ?? [0, 0]
    if (index <= first || index >= last) this.handle()?.scrollTo(index, 'start')
  }

  /** Shows a message at its place after an edit. */
  async reveal(id: string, number: number | null): Promise<void> {
    this.own = null
    if (number === null) await this.seek(id)
    else await this.arrive(id, number)
  }

  private async arrive(id: string, number: number): Promise<void> {
    this.own = id
    const index = await this.indexOf(number)
    if (index < 0) return
    this.cursor = index
    this.bringIntoView(index)
    if (this.list.pages.row(index)?.id !== id || !this.isFresh(index)) this.expected = id
  }

  /** Shows the row with this number of the branch, even if the filter hides it, and returns its place. */
  async toNumber(number: number, align: 'center' | 'start' = 'center'): Promise<number> {
    const index = await this.indexOf(number)
    if (index >= 0) this.to(index, align, false)
    return index
  }

  /** Returns the place of a row of the branch in the list; if the filter hides it, removes the filter. */
  private async indexOf(number: number): Promise<number> {
    const index = this.list.filtered ? await indexOfNumber(this.list.pages, number) : number
    if (index >= 0 || this.open.left) return index
    toast('The filter was taken off to show this.')
    aim(this.open, { kind: 'row', index: number })
    this.open.narrow([])
    return -1
  }

  /** Returns why the selected message has no other version. */
  whyNoSibling(step: 1 | -1): string | null {
    if (this.open.selected === null) return NONE_SELECTED
    const row = this.row()
    if (!row) return 'The message is still loading.'
    if (!row.siblings || row.siblings.total < 2) return 'This message has no other versions.'
    const next = row.siblings.number + step
    if (next < 0) return 'This is the first version.'
    return next < row.siblings.total ? null : 'This is the last version.'
  }

  /** `‹ ›`: shows the sibling, with the branch that was last shown below it. */
  sibling(row: Row | undefined, step: 1 | -1): void {
    const { cid, leaf } = this.open
    const siblings = row?.siblings
    if (!row || !siblings || leaf === null) return
    const next = siblings.number + step
    const otherwise = siblings.leaves[next]
    if (next < 0 || next >= siblings.total || otherwise === undefined) return
    remember(cid, row.parent, siblings.number, leaf)
    const index = this.list.pages.find(row.id)
    const top = this.handle()?.topOf(index) ?? 0
    this.open.showLeaf(recall(cid, row.parent, next, otherwise), null)
    aim(this.open, this.list.filtered ? { kind: 'row', index } : { kind: 'same', index, top })
  }

  private here(): number {
    const { selected } = this.open
    if (this.waiting >= 0) return this.cursor
    if (selected === null) return -1
    if (this.list.pages.row(this.cursor)?.id !== selected) this.cursor = this.list.pages.find(selected)
    return this.cursor
  }

  private async seek(id: string): Promise<void> {
    const { cid, leaf } = this.open
    try {
      const place = await ask<MessagePlace>(path`/c/${cid}/place`, { id, leaf })
      if (this.open.selected !== id) return
      if (place.leaf !== leaf) {
        this.open.showLeaf(place.leaf, place.id)
        aim(this.open, { kind: 'row', index: place.number })
        return
      }
      // The loaded rows may be older than the place: it is selected by its id.
      this.open.select(place.id)
      await this.arrive(place.id, place.number)
    } catch (error) {
      const { status, message } = asApiError(error)
      if (!this.open.left) toast(status === 404 ? NOT_HERE : message, 'warning')
    }
  }
}
