// Where the reader is, in the address: #/c/CID/m/ID?leaf=…&format=…

import { makeStore, useStore } from '../api/store'

/** How the list is narrowed. */
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
  filters: Filters
}

export const NO_FILTERS: Filters = { format: '', project: '', text: '', sort: '' }
const FILTERS = Object.keys(NO_FILTERS) as (keyof Filters)[]

export function parse(hash: string): Route {
  const [place = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
  const params = new URLSearchParams(query)
  const filters = { ...NO_FILTERS }
  for (const name of FILTERS) filters[name] = params.get(name) ?? ''
  const match = /^\/c\/([^/]+)(?:\/m\/([^/]+))?\/?$/.exec(place)
  const cid = decoded(match?.[1])
  return { cid, message: cid ? decoded(match?.[2]) : null, leaf: cid ? params.get('leaf') || null : null, filters }
}

/** The address of a route, to be put behind the page's own. */
export function format(route: Partial<Route>): string {
  const query = new URLSearchParams()
  if (route.cid && route.leaf) query.set('leaf', route.leaf)
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
  // A token is no place: who takes it out of the address puts the place back.
  if (!location.hash.startsWith('#token=')) route.set(parse(location.hash))
})

export function useRoute(): Route {
  return useStore(route)
}

export function currentRoute(): Route {
  return route.get()
}

/** Whether the address names another place already, of which nobody here has heard yet. */
export function isLeaving(): boolean {
  return format(parse(location.hash)) !== format(route.get())
}

/** Goes somewhere; filters stay as they are unless they are named. */
export function go(to: Partial<Route>, how: { replace?: boolean } = {}): void {
  const next: Route = { cid: null, message: null, leaf: null, filters: route.get().filters, ...to }
  const hash = format(next)
  if (hash !== location.hash) {
    if (how.replace) history.replaceState(null, '', hash)
    else history.pushState(null, '', hash)
  }
  route.set(next)
}

/** The address of a place, as a link and to be copied. */
export function hrefOf(to: Partial<Route>): string {
  return format({ filters: route.get().filters, ...to })
}

/** A link to a message that works in another tab, without what the list is narrowed by. */
export function linkTo(cid: string, message?: string | null, leaf?: string | null): string {
  return location.origin + location.pathname + format({ cid, message: message ?? null, leaf: leaf ?? null })
}
