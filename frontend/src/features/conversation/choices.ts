// The branch that the reader chose last at each fork, so that going back shows it again.

const MOST = 500
const chosen = new Map<string, string>()

function key(cid: string, parent: string | null, number: number): string {
  return JSON.stringify([cid, parent, number])
}

/** Stores the branch that was shown below this sibling. */
export function remember(cid: string, parent: string | null, number: number, leaf: string): void {
  const place = key(cid, parent, number)
  chosen.delete(place)
  chosen.set(place, leaf)
  if (chosen.size > MOST) chosen.delete(chosen.keys().next().value as string)
}

/** Returns the branch to show below this sibling. */
export function recall(cid: string, parent: string | null, number: number, otherwise: string): string {
  return chosen.get(key(cid, parent, number)) ?? otherwise
}
