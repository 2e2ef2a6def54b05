// The width of an element, so that text in a drawing has the right size.

import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

export function useWidth<T extends Element>(first: number): [RefObject<T | null>, number] {
  const element = useRef<T>(null)
  const [width, setWidth] = useState(first)
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    setWidth(box.clientWidth || first)
    if (typeof ResizeObserver === 'undefined') return
    const watcher = new ResizeObserver(() => setWidth(box.clientWidth || first))
    watcher.observe(box)
    return () => watcher.disconnect()
  }, [first])
  return [element, width]
}
