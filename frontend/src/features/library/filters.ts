// The filters and the order of the list; kept in the address.

import { adjust, currentRoute, type Filters } from '../../lib/router'

/** Changes some of the filters; the route stays. */
export function setFilters(part: Partial<Filters>): void {
  adjust({ filters: { ...currentRoute().filters, ...part } })
}

/** Whether a filter is set. */
export function isNarrowed(filters: Filters): boolean {
  return filters.format !== '' || filters.project !== '' || filters.text !== ''
}

export const SORTS: readonly (readonly [string, string])[] = [
  ['', 'Newest'],
  ['old', 'Oldest'],
  ['size', 'Largest'],
  ['messages', 'Longest'],
  ['title', 'Title'],
]

/** Returns the last part of a path, which users call the project. */
export function projectName(project: string | null): string {
  if (!project) return ''
  const parts = project.split(/[/\\]/).filter(Boolean)
  return parts.at(-1) ?? project
}
