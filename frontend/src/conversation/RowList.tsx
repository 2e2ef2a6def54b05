// The virtual list: only what is in view exists, and what is read stays where it is.

import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useSyncExternalStore, type Ref } from 'react'
import type { Row } from '../api/types'
import { rowOf, taken, type Aim } from './aim'
import type { List } from './list'
import { MessageRow } from './MessageRow'
import { Skeleton } from './Skeleton'
import { estimate, type LayoutName } from './view'

/** What others can do with the list. */
export interface ListHandle {
  scrollTo(index: number, align?: 'auto' | 'start' | 'center' | 'end'): void
  scrollToEnd(): void
  atEnd(): boolean
  /** The rows in view. */
  range(): [number, number]
  focusRow(index: number): void
  box(): HTMLElement | null
}

interface Props {
  list: List
  cid: string
  layout: LayoutName
  selected: string | null
  follow: boolean
  /** Rows that have just been in view, so that a new list can begin with their heights. */
  heights: Heights
  onScroll: (atEnd: boolean, up: boolean) => void
  onReady: (index: number, aim: Aim | null) => void
  ref: Ref<ListHandle>
}

/** Heights and place of the list before, up to the fork from which on it is another one. */
export interface Heights {
  offset: number
  sizes: Map<number, number>
}

const AHEAD = 25
const NEAR_END = 48

export function RowList({ list, cid, layout, selected, follow, heights, onScroll, onReady, ref }: Props) {
  const { pages, base } = list
  useSyncExternalStore(pages.subscribe, pages.snapshot)
  const scroller = useRef<HTMLDivElement>(null)
  const start = useRef<Aim | null | undefined>(undefined)
  if (start.current === undefined) start.current = taken()
  const same = start.current?.kind === 'same' ? start.current.index : -1
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: pages.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate(layout),
    getItemKey: (index) => index - base,
    initialMeasurementsCache: same < 0 ? [] : measuredBefore(heights, same, base),
    initialOffset: same < 0 ? 0 : heights.offset,
    overscan: 6,
    paddingStart: 12,
    paddingEnd: 28,
    anchorTo: 'end',
    followOnAppend: follow,
    scrollEndThreshold: NEAR_END,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    measureElement: heightOf,
    onChange: (instance) => {
      heights.offset = instance.scrollOffset ?? 0
      onScroll(instance.isAtEnd(NEAR_END), instance.scrollDirection === 'backward')
    },
  })
  const items = virtualizer.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => pages.want(first - AHEAD, last + AHEAD), [pages, first, last, pages.snapshot()])
  useStart(virtualizer, pages.total, start.current ?? null, onReady)
  useLayoutEffect(() => {
    for (const item of items) heights.sizes.set(item.index, item.size)
  })
  useImperativeHandle(ref, () => handleOf(virtualizer, scroller.current), [virtualizer])
  return (
    <div ref={scroller} className={`conv-scroll conv-${layout}`} tabIndex={-1}>
      <div ref={virtualizer.containerRef} className="conv-feed" role="feed" aria-label="Messages" aria-busy={list.tail}>
        {items.map((item) => {
          const row = pages.row(item.index)
          return (
            <div key={item.key} ref={virtualizer.measureElement} data-index={item.index} data-empty={row ? undefined : ''} className="conv-slot">
              {row ? (
                <MessageRow row={row} cid={cid} selected={row.id === selected} total={list.tail ? -1 : pages.total} position={item.index + 1} before={pages.row(item.index - 1)?.role} />
              ) : (
                <Skeleton height={estimate(layout)} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

type Virtual = Virtualizer<HTMLDivElement, HTMLDivElement>

/** What is not here yet is as high as was thought: so its real height counts as the first one. */
function heightOf(element: HTMLDivElement, entry: ResizeObserverEntry | undefined, instance: Virtual): number {
  if (element.dataset['empty'] !== undefined) {
    const index = instance.indexFromElement(element)
    return instance.itemSizeCache.get(instance.options.getItemKey(index)) ?? instance.options.estimateSize(index)
  }
  return entry?.borderBoxSize[0]?.blockSize ?? element.offsetHeight
}

function measuredBefore(heights: Heights, until: number, base: number) {
  return [...heights.sizes]
    .filter(([index]) => index < until)
    .map(([index, size]) => ({ key: index - base, index, size, start: 0, end: size, lane: 0 }))
}

/** Goes where the reader wants to be, once, when the list is there. */
function useStart(virtualizer: Virtual, total: number, aim: Aim | null, onReady: Props['onReady']): void {
  const begun = useRef(false)
  useLayoutEffect(() => {
    if (begun.current || total === 0) return
    begun.current = true
    const index = rowOf(aim, total)
    if (!aim || aim.kind === 'end') virtualizer.scrollToEnd()
    else if (aim.kind !== 'same') virtualizer.scrollToIndex(index, { align: 'start' })
    onReady(index, aim)
  }, [total])
}

function handleOf(virtualizer: Virtual, box: HTMLElement | null): ListHandle {
  return {
    scrollTo: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
    scrollToEnd: () => virtualizer.scrollToEnd(),
    atEnd: () => virtualizer.isAtEnd(NEAR_END),
    range: () => [virtualizer.range?.startIndex ?? 0, virtualizer.range?.endIndex ?? 0],
    focusRow: (index) => focusSoon(box, index),
    box: () => box,
  }
}

/** The row may only come into being with the next frames. */
function focusSoon(box: HTMLElement | null, index: number, tries = 12): void {
  const row = box?.querySelector<HTMLElement>(`[data-index="${index}"] > article`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusSoon(box, index, tries - 1))
}

/** The row under a slot, for events that bubble. */
export function rowAt(target: EventTarget | null, list: List): Row | undefined {
  const slot = target instanceof Element ? target.closest<HTMLElement>('.conv-slot') : null
  return slot ? list.pages.row(Number(slot.dataset['index'])) : undefined
}
