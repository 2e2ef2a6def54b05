/** What the server wrote into the page: the source of the artifact. */

export interface Given {
  kind: string
  source: string
}

/** Read it; a page without it shows nothing. */
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

/** Say in the frame itself what went wrong. */
export function showProblem(text: string): void {
  const box = document.createElement('pre')
  box.setAttribute('role', 'alert')
  box.style.cssText = 'margin:0;padding:12px;white-space:pre-wrap;font:13px ui-monospace,monospace;color:#b42318'
  box.textContent = text
  place().replaceChildren(box)
}
