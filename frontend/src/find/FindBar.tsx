// Find in this conversation.

import { useEffect, useRef, useState } from 'react'
import { path } from '../api/client'
import type { FoundRows } from '../api/types'
import { useGet } from '../api/use'
import { Button } from '../shell/Button'
import { keepMarked } from './highlight'
import { hitAfter, hitFrom, hitWords } from './hits'
import './find.css'

interface Props {
  cid: string
  leaf: string | null
  list: () => HTMLElement | null
  /** The row that is in view, from which on is searched. */
  from: () => number
  /** Goes to the row with this number of the branch; gives its place in the list. */
  onGo: (number: number, text: string) => Promise<number>
  onClose: () => void
}

const PAUSE = 180

export function FindBar({ cid, leaf, list, from, onGo, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const text = useLater(typed.trim(), PAUSE)
  const [at, setAt] = useState(0)
  const here = useRef(-1)
  const found = useGet<FoundRows>(text ? path`/c/${cid}/find` : null, { leaf, text })
  const numbers = found.data?.numbers ?? []

  const go = async (hit: number) => {
    setAt(hit)
    const number = numbers[hit]
    if (number !== undefined) here.current = await onGo(number, text)
  }
  useEffect(() => {
    if (found.data) void go(hitFrom(found.data.numbers, from()))
  }, [found.data])
  useEffect(() => {
    const box = list()
    return box && text ? keepMarked(box, text, () => here.current) : undefined
  }, [text, at])

  return (
    <div className="find-bar" role="search" aria-label="Find in this conversation">
      <input
        className="find-input"
        type="search"
        placeholder="Find in this conversation"
        aria-label="Find in this conversation"
        value={typed}
        autoFocus
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void go(hitAfter(numbers, at, event.shiftKey ? -1 : 1))
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <span className="find-count" role="status">
        {text && !found.loading && found.data ? hitWords(at, numbers.length, found.data.total, found.data.complete) : found.loading && text ? '…' : ''}
      </span>
      <Button small kind="quiet" icon="up" label="Previous (Shift Enter)" disabled={!numbers.length} onClick={() => void go(hitAfter(numbers, at, -1))} />
      <Button small kind="quiet" icon="down" label="Next (Enter)" disabled={!numbers.length} onClick={() => void go(hitAfter(numbers, at, 1))} />
      <Button small kind="quiet" icon="close" label="Close (Esc)" onClick={onClose} />
    </div>
  )
}

/** The value after it rested for a while. */
function useLater<T>(value: T, pause: number): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), pause)
    return () => clearTimeout(timer)
  }, [value, pause])
  return later
}
