// Highlights matches without changing the HTML: ranges of text that the browser paints (CSS Custom Highlight API).

const MOST = 2000
const ALL = 'find-all'
const HERE = 'find-here'

/** Returns every occurrence of the text in the element, ignoring case. */
export function rangesOf(root: Element, text: string, most = MOST): Range[] {
  const wanted = text.toLowerCase()
  const found: Range[] = []
  if (!wanted) return found
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && found.length < most; node = walker.nextNode()) {
    const said = (node.nodeValue ?? '').toLowerCase()
    // Letters whose lower case is longer would shift the ranges; then the text is not highlighted.
    if (said.length !== (node.nodeValue ?? '').length) continue
    for (let at = said.indexOf(wanted); at >= 0 && found.length < most; at = said.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      found.push(range)
    }
  }
  return found
}

/** Highlights the text in all bodies of the list, and differently in the selected row. */
export function mark(list: Element, text: string, here: number): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return
  const all = new Highlight()
  const now = new Highlight()
  now.priority = 1
  for (const slot of list.querySelectorAll<HTMLElement>('.conv-slot')) {
    const target = Number(slot.dataset['index']) === here ? now : all
    for (const body of slot.querySelectorAll('.conv-body, .conv-divider')) {
      for (const range of rangesOf(body, text)) target.add(range)
    }
  }
  CSS.highlights.set(ALL, all)
  CSS.highlights.set(HERE, now)
}

export function unmark(): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return
  CSS.highlights.delete(ALL)
  CSS.highlights.delete(HERE)
}

/** Updates the highlights whenever rows come into view or are unfolded; returns a function that stops this. */
export function keepMarked(list: Element, text: string, here: number): () => void {
  let waiting = 0
  const again = () => {
    waiting ||= setTimeout(() => {
      waiting = 0
      mark(list, text, here)
    }, 60) as unknown as number
  }
  const observer = new MutationObserver(again)
  observer.observe(list, { childList: true, subtree: true, characterData: true })
  mark(list, text, here)
  return () => {
    observer.disconnect()
    clearTimeout(waiting)
    unmark()
  }
}
