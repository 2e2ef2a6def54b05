/** Draws a Mermaid diagram. */

import mermaid from 'mermaid'
import { given, place } from './given'
import { settings } from './mermaidSettings'
import { keepSaying, sayError } from './said'

const DARK = '#1b1f25'

async function start(): Promise<void> {
  keepSaying()
  try {
    const dark = document.documentElement.dataset.theme === 'dark'
    // The frame around is white, as most artifacts expect it.
    if (dark) document.body.style.background = DARK
    mermaid.initialize(settings(dark))
    const { svg } = await mermaid.render('diagram', given().source)
    const drawn = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
    if (!drawn) throw new Error('The diagram is empty.')
    place().replaceChildren(drawn)
  } catch (problem) {
    sayError(problem)
  }
}

void start()
