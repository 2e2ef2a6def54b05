/** Draws a Mermaid diagram. */

import mermaid from 'mermaid'
import { given, place } from './given'
import { settings } from './mermaidSettings'
import { keepSaying, sayError } from './said'

async function start(): Promise<void> {
  keepSaying()
  try {
    mermaid.initialize(settings(document.documentElement.dataset.theme === 'dark'))
    const { svg } = await mermaid.render('diagram', given().source)
    const drawn = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
    if (!drawn) throw new Error('The diagram is empty.')
    place().replaceChildren(drawn)
  } catch (problem) {
    sayError(problem)
  }
}

void start()
