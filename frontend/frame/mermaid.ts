/** Draws a Mermaid diagram. */

import mermaid from 'mermaid'
import { given, place } from './given'
import { settings } from './mermaidSettings'
import { keepApart } from './apart'
import { keepSaying, sayError } from './said'

const DARK = '#1b1f25'

async function start(): Promise<void> {
  keepApart()
  keepSaying()
  try {
    const dark = document.documentElement.dataset.theme === 'dark'
    // The surrounding frame is white, as most artifacts expect.
    if (dark) document.body.style.background = DARK
    mermaid.initialize(settings(dark))
    const root = place()
    // It measures in the page before it is done; that should not be visible.
    root.style.visibility = 'hidden'
    const { svg } = await mermaid.render('diagram', given().source, root)
    const drawn = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
    if (!drawn) throw new Error('The diagram is empty.')
    root.replaceChildren(drawn)
    root.style.visibility = ''
  } catch (problem) {
    sayError(problem)
  }
}

void start()
