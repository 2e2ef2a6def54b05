// Lazy components: loaded on demand, or ahead when the browser is idle.

import { lazy, type ComponentType, type LazyExoticComponent } from 'react'

type Load = () => Promise<unknown>

const waiting: Load[] = []
let ahead = false

/** A component in a chunk of its own. */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  waiting.push(load)
  return lazy(load)
}

/** Whether a chunk is being preloaded: if that fails, nothing is missing yet. */
export function isLoadingAhead(): boolean {
  return ahead
}

/** Preloads all chunks one after the other, when the browser is idle. */
export function loadPartsWhenIdle(): void {
  const idle =
    typeof requestIdleCallback === 'function' ? requestIdleCallback : (run: () => void) => setTimeout(run, 300)
  const next = (): void => {
    const load = waiting.shift()
    if (!load) return
    ahead = true
    void load()
      .catch(() => undefined)
      .finally(() => {
        ahead = false
        idle(next)
      })
  }
  idle(next)
}
