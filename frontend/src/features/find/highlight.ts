// Marks what was found without touching the HTML: ranges of text that the browser paints (CSS Custom Highlight API).

const MOST = 2000
const ALL = 'find-all'
const HERE = 'find-here'

/** Every place in the element where the text stands, letter case aside. */
export function rangesOf(root: Element, text: string, most = MOST): Range[] {
  const wanted = text.toLowerCase()
  const found: Range[] = []
  if (!wanted) return found
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && found.length < most; node = walker.nextNode()) {
    const said = (node.nodeValue ?? '').toLowerCase()
    // Letters whose small form is longer would shift the places; then the text is left unmarked.
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

/** Marks the text in all bodies of the list, and otherwise in the row that is pointed at. */
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

/** Marks again whenever rows come into view or are unfolded; gives what ends it. */
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
