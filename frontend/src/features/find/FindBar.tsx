// Find in this conversation.

import { useEffect, useRef, useState } from 'react'
import { asApiError } from '../../data/api/client'
import { Button } from '../../ui/Button'
import { toast } from '../../ui/Toast'
import { find, lookIn, type Finding } from './finder'
import { keepMarked } from './highlight'
import { hitAfter, hitWords } from './hits'
import './find.css'

interface Props {
  cid: string
  leaf: string | null
  list: () => HTMLElement | null
  /** The first visible row, where the search starts. */
  from: () => number
  /** Goes to the row with this number of the branch; returns its place in the list. */
  onGo: (number: number, text: string) => Promise<number>
  onClose: () => void
}

const PAUSE = 180

export function FindBar({ cid, leaf, list, from, onGo, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const text = useLater(typed.trim(), PAUSE)
  const [at, setAt] = useState(0)
  /** The place of the selected row in the list. */
  const [place, setPlace] = useState(-1)
  const { numbers, complete, around, start } = useFinding(cid, leaf, text, from)
  const first = numbers.find((number) => number >= start) ?? (around ? numbers[0] : undefined)

  const go = async (number: number | undefined) => {
    if (number === undefined) return
    setAt(number)
    setPlace(await onGo(number, text))
  }
  const step = (by: 1 | -1) => go(numbers[hitAfter(numbers, numbers.indexOf(at), by)])
  useEffect(() => {
    void go(first)
    // oxlint-disable-next-line react/exhaustive-deps -- only another hit or text moves the list
  }, [first, text])
  useEffect(() => {
    const box = list()
    return box && text ? keepMarked(box, text, place) : undefined
    // oxlint-disable-next-line react/exhaustive-deps -- the list is looked up when it is needed
  }, [text, place])

  return (
    <div className="find-bar" role="search" aria-label="Find in this conversation">
      <input
        className="find-input"
        dir="auto"
        type="search"
        placeholder="Find in this conversation"
        aria-label="Find in this conversation"
        value={typed}
        autoFocus
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void step(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <span className="find-count" role="status">
        {text && hitWords(numbers.indexOf(at), numbers.length, complete)}
      </span>
      <Button
        small
        kind="quiet"
        icon="up"
        label="Previous (Shift Enter)"
        disabled={!numbers.length}
        onClick={() => void step(-1)}
      />
      <Button
        small
        kind="quiet"
        icon="down"
        label="Next (Enter)"
        disabled={!numbers.length}
        onClick={() => void step(1)}
      />
      <Button small kind="quiet" icon="close" label="Close (Esc)" onClick={onClose} />
    </div>
  )
}

const NOTHING: Finding = { numbers: [], complete: false, around: false }

/** Returns what was found so far, and the row where the search started. */
function useFinding(cid: string, leaf: string | null, text: string, from: () => number): Finding & { start: number } {
  const [finding, setFinding] = useState(NOTHING)
  const start = useRef(0)
  useEffect(() => {
    setFinding(NOTHING)
    if (!text) return
    const control = new AbortController()
    start.current = from()
    find(lookIn(cid, leaf, text), start.current, setFinding, control.signal).catch((error) =>
      toast(asApiError(error).message, 'error'),
    )
    return () => control.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- moving on does not start another search
  }, [cid, leaf, text])
  return { ...finding, start: start.current }
}

/** Returns the value once it has not changed for a while. */
function useLater<T>(value: T, pause: number): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), pause)
    return () => clearTimeout(timer)
  }, [value, pause])
  return later
}
