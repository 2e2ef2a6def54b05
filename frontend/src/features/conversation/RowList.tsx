// The virtual list: only visible rows exist, and the reading position does not move.

import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual'
import { useCallback, useImperativeHandle, useLayoutEffect, useRef, useSyncExternalStore, type Ref } from 'react'
import { isTyping } from '../../ui/keys/registry'
import type { Chip, Row } from '../../data/api/types'
import { rowOf, type Aim } from '../../data/conversation/aim'
import { useHurry } from './hurry'
import type { List } from './list'
import { isOne, MessageRow } from './MessageRow'
import { Skeleton } from './Skeleton'
import { estimate, type LayoutName } from './view'
import { useWanted } from './wanting'

/** The methods of the list for other components. */
export interface ListHandle {
  scrollTo(index: number, align?: 'auto' | 'start' | 'center' | 'end'): void
  scrollToEnd(): void
  atEnd(): boolean
  /** The rows in view. */
  range(): [number, number]
  /** The distance of a row from the upper edge. */
  topOf(index: number): number
  focusRow(index: number): void
  box(): HTMLElement | null
}

interface Props {
  list: List
  cid: string
  layout: LayoutName
  selected: string | null
  follow: boolean
  /** Where it opens. */
  aim: Aim | null
  /** Rows that were recently in view, so that a new list can begin with their heights. */
  heights: Heights
  onScroll: (atEnd: boolean, up: boolean) => void
  onReady: (index: number, aim: Aim | null) => void
  ref: Ref<ListHandle>
}

/** Heights and position of the previous list: up to the fork the next one is the same. */
export interface Heights {
  offset: number
  /** By the distance of the row from the base. */
  sizes: ReadonlyMap<VirtualItem['key'], number>
  base: number
}

const NEAR_END = 48
/** Between two placeholder rows. */
const GAP = 8

export function RowList({ list, cid, layout, selected, follow, aim, heights, onScroll, onReady, ref }: Props) {
  const { pages, base } = list
  useSyncExternalStore(pages.subscribe, pages.snapshot)
  const scroller = useRef<HTMLDivElement>(null)
  const same = aim?.kind === 'same' ? aim.index : -1
  const atEnd = useRef(!aim || aim.kind === 'end')
  // The functions stay the same: with new ones the heights of all rows would be summed up again.
  const getItemKey = useCallback((index: number) => index - base, [base])
  const estimateSize = useCallback(() => estimate(layout), [layout])
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: pages.total,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    initialMeasurementsCache: same < 0 ? [] : measuredBefore(heights, same, base),
    initialOffset: same < 0 ? 0 : heights.offset,
    overscan: 4,
    paddingStart: 8,
    paddingEnd: 28,
    scrollPaddingStart: 8,
    scrollPaddingEnd: 8,
    // Otherwise the distance to the end would be computed for each row, which sums up all rows.
    anchorTo: atEnd.current || list.tail ? 'end' : 'start',
    followOnAppend: follow,
    scrollEndThreshold: NEAR_END,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    measureElement: heightOf,
    onChange: (instance) => {
      Object.assign(heights, { offset: instance.scrollOffset ?? 0, sizes: instance.itemSizeCache, base })
      atEnd.current = isAtEnd(instance)
      onScroll(atEnd.current, instance.scrollDirection === 'backward')
    },
  })
  const hurry = useHurry(virtualizer.scrollOffset ?? 0, virtualizer.isScrolling)
  const drawn = useRef<ReadonlySet<unknown>>(new Set())
  const items = virtualizer.getVirtualItems()
  const rows = items.map((item) => (hurry.fast && !drawn.current.has(item.key) ? undefined : pages.row(item.index)))
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useWanted(pages, first, last, hurry.fast)
  useStart(virtualizer, pages.total, aim, onReady)
  useLayoutEffect(() => {
    drawn.current = new Set(items.filter((_, at) => rows[at]).map((item) => item.key))
  })
  // oxlint-disable-next-line react/exhaustive-deps -- it is the same function always
  useImperativeHandle(ref, () => handleOf(virtualizer, scroller.current, hurry.calm), [virtualizer])
  return (
    <div ref={scroller} className={`conv-scroll conv-${layout}`} tabIndex={-1}>
      <div
        ref={virtualizer.containerRef}
        className="conv-feed"
        role="feed"
        aria-label="Messages"
        aria-busy={list.tail || rows.includes(undefined)}
        data-cid={cid}
        data-empty={hurry.fast ? '' : undefined}
      >
        {items.map((item, at) => {
          const row = rows[at]
          // The empty feed already looks like rows.
          if (!row && hurry.fast) return null
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              data-empty={row ? undefined : ''}
              className="conv-slot"
            >
              {row ? (
                <MessageRow
                  row={row}
                  cid={cid}
                  selected={row.id === selected}
                  total={list.tail ? -1 : pages.total}
                  position={item.index + 1}
                  above={isOne(pages.row(item.index - 1), row)}
                  below={isOne(row, pages.row(item.index + 1))}
                  known={knownChips(pages, item.index, row)}
                />
              ) : (
                <Skeleton height={item.size - GAP} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** How far back a fact must be shown to be omitted. */
const BACK = 8

/** Returns the names of recently shown facts: they are only shown when they change. */
function knownChips(pages: List['pages'], index: number, row: Row): string {
  return row.chips
    .filter((chip) => LASTING.has(chip.name) && toldBefore(pages, index, chip))
    .map((chip) => chip.name)
    .join(' ')
}

const LASTING = new Set(['model', 'cwd', 'git', 'version', 'agent', 'device', 'platform', 'session'])

function toldBefore(pages: List['pages'], index: number, { name, text }: Chip): boolean {
  for (let back = index - 1; back >= Math.max(0, index - BACK); back--) {
    const before = pages.row(back)?.chips.find((chip) => chip.name === name)
    if (before) return before.text === text
  }
  return false
}

type Virtual = Virtualizer<HTMLDivElement, HTMLDivElement>

/** Computed from the list's own data: asking the element would force a layout. */
function isAtEnd(list: Virtual): boolean {
  return list.getTotalSize() - (list.scrollOffset ?? 0) - (list.scrollRect?.height ?? 0) <= NEAR_END
}

/**
 * A row that is not loaded has its estimated height: so its real height counts as the first one.
 *
 * New rows are not measured directly either: each measurement would force a layout and move the rows below. The
 * observer reports all heights together, in the same frame and before painting.
 */
function heightOf(element: HTMLDivElement, entry: ResizeObserverEntry | undefined, instance: Virtual): number {
  const measured = entry?.borderBoxSize[0]?.blockSize
  if (measured !== undefined && element.dataset['empty'] === undefined) return measured
  const index = instance.indexFromElement(element)
  return instance.itemSizeCache.get(instance.options.getItemKey(index)) ?? instance.options.estimateSize(index)
}

function measuredBefore(heights: Heights, until: number, base: number) {
  return [...heights.sizes]
    .map(([key, size]) => ({ index: Number(key) + heights.base, size }))
    .filter(({ index }) => index < until)
    .map(({ index, size }) => ({ key: index - base, index, size, start: 0, end: size, lane: 0 }))
}

/** Scrolls to the reader's target once, when the list is ready. */
function useStart(virtualizer: Virtual, total: number, aim: Aim | null, onReady: Props['onReady']): void {
  const begun = useRef(false)
  useLayoutEffect(() => {
    if (begun.current || total === 0) return
    begun.current = true
    const index = rowOf(aim, total)
    if (!aim || aim.kind === 'end') virtualizer.scrollToEnd()
    else if (aim.kind === 'same') hold(virtualizer, index, aim.top)
    else virtualizer.scrollToIndex(index, { align: 'start' })
    onReady(index, aim)
    // So that the space bar and the arrows scroll immediately, unless the focus is elsewhere.
    if (document.activeElement === document.body) focusQuietly(virtualizer.scrollElement)
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the list is there
  }, [total])
}

/** Without a focus ring, because the focus did not move by key. */
function focusQuietly(box: HTMLElement | null): void {
  box?.classList.add('conv-quiet')
  box?.addEventListener('blur', () => box.classList.remove('conv-quiet'), { once: true })
  box?.focus({ preventScroll: true })
}

/** Keeps a row where it is on the screen while the rows around it are measured. */
function hold(virtualizer: Virtual, index: number, top: number, frames = 10): void {
  const wanted = Math.max(0, (virtualizer.measurementsCache[index]?.start ?? 0) - top)
  if (Math.abs(wanted - (virtualizer.scrollOffset ?? 0)) > 1) virtualizer.scrollToOffset(wanted)
  const box = virtualizer.scrollElement
  if (frames > 0 && box?.isConnected) requestAnimationFrame(() => hold(virtualizer, index, top, frames - 1))
}

function handleOf(virtualizer: Virtual, box: HTMLElement | null, calm: () => void): ListHandle {
  return {
    scrollTo: (index, align = 'auto') => (calm(), virtualizer.scrollToIndex(index, { align })),
    scrollToEnd: () => (calm(), virtualizer.scrollToEnd()),
    atEnd: () => isAtEnd(virtualizer),
    range: () => [virtualizer.range?.startIndex ?? 0, virtualizer.range?.endIndex ?? 0],
    topOf: (index) => (virtualizer.measurementsCache[index]?.start ?? 0) - (virtualizer.scrollOffset ?? 0),
    focusRow: (index) => focusSoon(box, index),
    box: () => box,
  }
}

/** The row may only be created in the next frames. If the focus moves elsewhere meanwhile, it stays there. */
function focusSoon(box: HTMLElement | null, index: number, tries = 12, was = document.activeElement): void {
  const now = document.activeElement
  if (isTyping(now) || (now !== was && now !== document.body && !box?.contains(now))) return
  const row = box?.querySelector<HTMLElement>(`[data-index="${index}"] > article`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusSoon(box, index, tries - 1, was))
}

/** Returns the row of an event target, for events that bubble. */
export function rowAt(target: EventTarget | null, list: List): Row | undefined {
  const slot = target instanceof Element ? target.closest<HTMLElement>('.conv-slot') : null
  return slot ? list.pages.row(Number(slot.dataset['index'])) : undefined
}
