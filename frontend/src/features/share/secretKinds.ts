/** Secrets by their kind. */

import type { SecretPlace } from '../../data/api/types'

export interface SecretKind {
  kind: string
  what: string
  count: number
  /** Each secret once, with all its places. */
  secrets: { shown: string; placeholder: string; places: SecretPlace[] }[]
}

/** Returns the most frequent kind first; equal secrets have equal placeholders and are adjacent. */
export function byKind(places: readonly SecretPlace[]): SecretKind[] {
  const kinds = new Map<string, SecretKind>()
  for (const place of places) {
    const kind = kinds.get(place.kind) ?? { kind: place.kind, what: place.what, count: 0, secrets: [] }
    kind.count += 1
    const same = kind.secrets.find((secret) => secret.placeholder === place.placeholder)
    if (same) same.places.push(place)
    else kind.secrets.push({ shown: place.shown, placeholder: place.placeholder, places: [place] })
    kinds.set(place.kind, kind)
  }
  return [...kinds.values()].toSorted((a, b) => b.count - a.count || a.kind.localeCompare(b.kind))
}
