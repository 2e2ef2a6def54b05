// Going through the list: by rows, by prompts, to the ends, to a message anywhere.

import { asApiError, get, path } from '../api/client'
import type { Place, Row } from '../api/types'
import { getCurrent, select, setFollow, showLeaf } from '../shell/current'
import { toast } from '../shell/Toast'
import { aim, type Aim } from './aim'
import { recall, remember } from './choices'
import { NOT_HERE, type List } from './list'
import type { ListHandle } from './RowList'
import { indexOfNumber, isPrompt, nextWhere } from './seek'
import { changeView } from './view'

/** Moves the pointer through one list. */
export class Navigator {
  /** The row that is pointed at, also while it is not here yet. */
  cursor = -1
  private waiting = -1
  /** What was pointed at from here: it is in view. */
  private own: string | null = null

  constructor(
    readonly list: List,
    private readonly handle: () => ListHandle | null,
  ) {}

  /** The list opened here; what was aimed at is pointed at. */
  begin(index: number, at: Aim | null): void {
    this.cursor = index
    if (!at || at.kind === 'end' || (at.kind === 'row' && at.quiet)) return
    this.waiting = index
    this.settle()
  }

  /** Points at a row and brings it into view. */
  to(index: number, align: 'auto' | 'start' | 'center' | 'end' = 'auto', focus = true): void {
    const total = this.list.pages.total
    if (!total) return
    this.cursor = Math.max(0, Math.min(total - 1, index))
    const row = this.list.pages.row(this.cursor)
    this.waiting = row ? -1 : this.cursor
    if (row) this.point(row)
    this.handle()?.scrollTo(this.cursor, align)
    if (focus) this.handle()?.focusRow(this.cursor)
  }

  step(by: 1 | -1): void {
    const at = this.here()
    if (at < 0) return this.to(this.handle()?.range()[by > 0 ? 0 : 1] ?? 0)
    if (by < 0) setFollow(false)
    this.to(at + by)
  }

  async prompt(step: 1 | -1): Promise<void> {
    if (step < 0) setFollow(false)
    const from = this.here() < 0 ? (this.handle()?.range()[0] ?? 0) : this.here()
    const found = await nextWhere(this.list.pages, from, step, isPrompt)
    if (found >= 0) this.to(found, 'start')
    else toast(step > 0 ? 'No later prompt' : 'No earlier prompt')
  }

  first(): void {
    setFollow(false)
    // While only the end is here the whole list opens there.
    if (this.list.tail) aim({ kind: 'row', index: 0 })
    else this.to(0, 'start')
  }

  end(): void {
    this.to(this.list.pages.total - 1, 'end')
    this.handle()?.scrollToEnd()
  }

  /** The row that is pointed at, if it is here. */
  row(): Row | undefined {
    return this.list.pages.row(this.here())
  }

  /** Points at what came meanwhile. */
  settle(): void {
    if (this.waiting < 0) return
    const row = this.list.pages.row(this.waiting)
    if (!row) return
    this.waiting = -1
    this.point(row)
  }

  /** Points at a row that is in view. */
  point(row: Row): void {
    this.own = row.id
    select(row.id)
  }

  /** Brings a message into view that was named from elsewhere. */
  async show(id: string): Promise<void> {
    if (id === this.own) return
    this.own = null
    const known = this.list.pages.find(id)
    if (known >= 0) {
      const [first, last] = this.handle()?.range() ?? [0, 0]
      this.cursor = known
      if (known <= first || known >= last) this.handle()?.scrollTo(known, 'start')
      return
    }
    await this.seek(id)
  }

  /** Brings a message into view wherever it is now. */
  async reveal(id: string): Promise<void> {
    this.own = null
    await this.seek(id)
  }

  /** Goes to the row with this number of the branch, even if the filter hides it; gives its place. */
  async toNumber(number: number, align: 'center' | 'start' = 'center'): Promise<number> {
    const index = await this.indexOf(number)
    if (index >= 0) this.to(index, align, false)
    return index
  }

  /** Where a row of the branch stands in the list; if the filter hides it, that is taken off. */
  private async indexOf(number: number): Promise<number> {
    const index = this.list.filtered ? await indexOfNumber(this.list.pages, number) : number
    if (index >= 0) return index
    toast('The filter was taken off to show this.')
    aim({ kind: 'row', index: number })
    changeView({ show: [] })
    return -1
  }

  /** `‹ ›`: the message beside, with the branch that was last shown below it. */
  sibling(row: Row | undefined, step: 1 | -1): void {
    const { cid, leaf } = getCurrent()
    const siblings = row?.siblings
    if (!row || !siblings || cid === null || leaf === null) return
    const next = siblings.number + step
    const otherwise = siblings.leaves[next]
    if (next < 0 || next >= siblings.total || otherwise === undefined) return
    remember(cid, row.parent, siblings.number, leaf)
    const index = this.list.pages.find(row.id)
    aim(this.list.filtered ? { kind: 'row', index } : { kind: 'same', index, top: this.handle()?.topOf(index) ?? 0 })
    showLeaf(recall(cid, row.parent, next, otherwise), null)
  }

  private here(): number {
    const { selected } = getCurrent()
    if (this.waiting >= 0) return this.cursor
    if (selected === null) return -1
    if (this.list.pages.row(this.cursor)?.id !== selected) this.cursor = this.list.pages.find(selected)
    return this.cursor
  }

  private async seek(id: string): Promise<void> {
    const { cid, leaf } = getCurrent()
    if (cid === null) return
    try {
      const place = await get<Place>(path`/c/${cid}/place`, { id, leaf })
      if (getCurrent().cid !== cid || getCurrent().selected !== id) return
      if (place.leaf !== leaf) {
        aim({ kind: 'row', index: place.number })
        showLeaf(place.leaf, place.id)
        return
      }
      // The rows that are here may be older than the place: it is pointed at by its id.
      this.own = place.id
      select(place.id)
      const index = await this.indexOf(place.number)
      if (index < 0) return
      this.cursor = index
      const [first, last] = this.handle()?.range() ?? [0, 0]
      if (index <= first || index >= last) this.handle()?.scrollTo(index, 'start')
    } catch (error) {
      const { status, message } = asApiError(error)
      toast(status === 404 ? NOT_HERE : message, 'warning')
    }
  }
}
