/** What the server wrote into the page: the source of the artifact. */

export interface Given {
  kind: string
  source: string
}

/** Reads it; a page without it shows nothing. */
export function given(): Given {
  const text = document.getElementById('artifact')?.textContent ?? '{}'
  const data = JSON.parse(text) as Partial<Given>
  return { kind: data.kind ?? '', source: data.source ?? '' }
}

/** The element everything is drawn into. */
export function place(): HTMLElement {
  const there = document.getElementById('root')
  if (there) return there
  const made = document.createElement('div')
  made.id = 'root'
  document.body.append(made)
  return made
}
