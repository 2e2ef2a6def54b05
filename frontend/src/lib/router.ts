// The route in the address: #/c/CID/m/ID?leaf=…&tab=…&show=…&format=…

import { makeStore, useStore } from './store'

/** The filters of the list. */
export interface Filters {
  format: string
  project: string
  text: string
  sort: string
}

export interface Route {
  cid: string | null
  message: string | null
  leaf: string | null
  /** The tab of the inspector. */
  tab: string | null
  /** Terms that filter the rows: `role:user`, `tool:Bash` … */
  show: readonly string[]
  filters: Filters
}

export const NO_FILTERS: Filters = { format: '', project: '', text: '', sort: '' }
const OVERVIEW = { cid: null, message: null, leaf: null, tab: null, show: [] } as const
const FILTERS = Object.keys(NO_FILTERS) as (keyof Filters)[]

export function parse(hash: string): Route {
  const [place = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
  const params = new URLSearchParams(query)
  const filters = { ...NO_FILTERS }
  for (const name of FILTERS) filters[name] = params.get(name) ?? ''
  const match = /^\/c\/([^/]+)(?:\/m\/([^/]+))?\/?$/.exec(place)
  const cid = decoded(match?.[1])
  if (cid === null) return { ...OVERVIEW, filters }
  const show = (params.get('show') ?? '').split(',').filter(Boolean)
  return {
    cid,
    message: decoded(match?.[2]),
    leaf: params.get('leaf') || null,
    tab: params.get('tab') || null,
    show,
    filters,
  }
}

/** Returns the fragment of a route. */
export function format(route: Partial<Route>): string {
  const query = new URLSearchParams()
  if (route.cid && route.leaf) query.set('leaf', route.leaf)
  if (route.cid && route.tab) query.set('tab', route.tab)
  if (route.cid && route.show?.length) query.set('show', route.show.join(','))
  for (const name of FILTERS) {
    const value = route.filters?.[name]
    if (value) query.set(name, value)
  }
  let place = '/'
  if (route.cid) place = `/c/${encodeURIComponent(route.cid)}`
  if (route.cid && route.message) place += `/m/${encodeURIComponent(route.message)}`
  const text = query.toString()
  return `#${place}${text ? `?${text}` : ''}`
}

function decoded(part: string | undefined): string | null {
  if (!part) return null
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

const route = makeStore<Route>(parse(location.hash))
addEventListener('hashchange', () => {
  // A token is not a route: taking it out of the address restores the route.
  if (location.hash.startsWith('#token=')) return void setTimeout(() => (written = location.hash))
  cancelWriting()
  written = location.hash
  route.set(parse(written))
})

export function useRoute(): Route {
  return useStore(route)
}

export function currentRoute(): Route {
  return route.get()
}

/** Calls the listener on every navigation, immediately. */
export function onRoute(listener: () => void): () => void {
  return route.subscribe(listener)
}

/** Changes a part of the route. */
export function adjust(part: Partial<Route>): void {
  go({ ...route.get(), ...part }, { replace: true })
}

/** Navigates; filters of the library stay as they are unless they are given. */
export function go(to: Partial<Route>, how: { replace?: boolean } = {}): void {
  const before = route.get()
  const next: Route = { ...OVERVIEW, filters: before.filters, ...to }
  if (how.replace) {
    // The browser may have navigated already, before its event arrived.
    if (isElsewhere()) return
    route.set(next)
    writeSoon()
    return
  }
  cancelWriting()
  const hash = format(next)
  if (hash !== location.hash) history.pushState(null, '', hash)
  written = location.hash
  route.set(next)
}

/** The address as it was last read or written here. */
let written = location.hash

function isElsewhere(): boolean {
  return format(parse(location.hash)) !== format(parse(written))
}

/** Browsers allow about three changes of the address per second over time, and some in a burst. */
const AT_ONCE = 10
const EVERY = 350
let left = AT_ONCE
let filled = performance.now()
let waiting: ReturnType<typeof setTimeout> | undefined

/** Writes the route into the address: immediately, or when the browser allows it again. */
function writeSoon(): void {
  const now = performance.now()
  const more = Math.floor((now - filled) / EVERY)
  left = Math.min(AT_ONCE, left + more)
  filled += more * EVERY
  if (waiting !== undefined) return
  if (left > 0) write()
  else waiting = setTimeout(write, EVERY)
}

function write(): void {
  waiting = undefined
  if (isElsewhere()) return
  left -= 1
  const hash = format(route.get())
  if (hash !== location.hash) history.replaceState(null, '', hash)
  written = location.hash
}

function cancelWriting(): void {
  clearTimeout(waiting)
  waiting = undefined
}

/** Returns the address of a route, as a link and to be copied. */
export function hrefOf(to: Partial<Route>): string {
  return format({ filters: route.get().filters, ...to })
}

/** Returns a link to a message that works in another tab, without the filters of the list. */
export function linkTo(cid: string, message?: string | null, leaf?: string | null): string {
  return location.origin + location.pathname + format({ cid, message: message ?? null, leaf: leaf ?? null })
}
