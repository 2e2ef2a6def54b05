// The list itself: only visible cards exist.

import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import type { FormatSummary } from '../../data/api/types'
import { CardView } from './CardView'
import { cardAt, indexOf, need, type Cards } from '../../data/cards'

interface Props {
  cards: Cards
  cid: string | null
  formats: readonly FormatSummary[]
  onOpen: (cid: string) => void
  onSeen: (first: number, last: number) => void
}

const HEIGHT = 54

export function CardList({ cards, cid, formats, onOpen, onSeen }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const total = cards.total ?? 0
  const open = indexOf(cards, cid)
  const [pointed, setPointed] = useState<number | null>(null)
  const at = Math.min(pointed ?? Math.max(0, open), Math.max(0, total - 1))
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => HEIGHT,
    overscan: 6,
  })
  const rows = list.getVirtualItems()
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    need(first, last)
    onSeen(first, last)
    // oxlint-disable-next-line react/exhaustive-deps -- the callback may be made anew with each render
  }, [first, last, cards])
  useEffect(() => {
    if (open >= 0) list.scrollToIndex(open)
    setPointed(null)
    // oxlint-disable-next-line react/exhaustive-deps -- only another conversation moves the list, not its growing
  }, [cid])
  const press = (event: KeyboardEvent) => {
    const page = Math.max(1, last - first - 12)
    const to: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: total - 1,
      PageDown: at + page,
      PageUp: at - page,
    }
    const next = to[event.key]
    const card = cardAt(cards, at)
    if (next !== undefined) {
      const kept = Math.max(0, Math.min(total - 1, next))
      setPointed(kept)
      list.scrollToIndex(kept)
    } else if (event.key === 'Enter' && card) onOpen(card.cid)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={box}
      className="library-list"
      role="listbox"
      aria-label="Conversations"
      aria-busy={cards.total === null}
      aria-activedescendant={rows.some((row) => row.index === at) ? `${id}-${at}` : undefined}
      tabIndex={0}
      onKeyDown={press}
    >
      <div className="library-space" role="presentation" style={{ height: list.getTotalSize() }}>
        {rows.map((row) => (
          <div
            key={row.key}
            className="library-slot"
            role="presentation"
            style={{ transform: `translateY(${row.start}px)`, height: HEIGHT }}
          >
            <CardView
              card={cardAt(cards, row.index)}
              formats={formats}
              id={`${id}-${row.index}`}
              position={row.index + 1}
              total={total}
              open={row.index === open}
              pointed={row.index === at}
              onOpen={onOpen}
            />
          </div>
        ))}
      </div>
    </div>
  )
}
