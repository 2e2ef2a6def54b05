// How well a name matches the typed text.

/** Returns a rank, higher is better; null without a match. Every word must be found, in any order. */
export function rank(name: string, typed: string): number | null {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const text = name.toLowerCase()
  let sum = text.startsWith(typed.trim().toLowerCase()) ? 20 : 0
  for (const word of words) {
    const fit = fitOf(text, word)
    if (fit === null) return null
    sum += fit
  }
  // Of equal matches, the shorter name is better.
  return sum - text.length / 100
}

/** At the beginning of a word, anywhere, or at least by its letters. */
function fitOf(text: string, word: string): number | null {
  const at = text.indexOf(word)
  if (at >= 0) return startsWord(text, word) ? 10 : 5
  return word.length >= 2 && inOrder(text, word) ? 1 : null
}

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] as string)) return true
  }
  return false
}

/** Whether its letters occur in order and close together, the first one at the beginning of a word. */
function inOrder(text: string, word: string): boolean {
  for (let start = 0; start < text.length; start++) {
    if (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] as string)) continue
    let at = start - 1
    for (const letter of word) {
      at = text.indexOf(letter, at + 1)
      if (at < 0) break
    }
    if (at >= 0 && text[start] === word[0] && at - start < word.length * 3) return true
  }
  return false
}

/** Returns the best matches, best first; without words, all in their order. */
export function best<T>(all: readonly T[], nameOf: (one: T) => string, typed: string, most: number): T[] {
  if (typed.trim() === '') return all.slice(0, most)
  const fitting: { one: T; score: number }[] = []
  for (const one of all) {
    const score = rank(nameOf(one), typed)
    if (score !== null) fitting.push({ one, score })
  }
  return fitting
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map((each) => each.one)
}
