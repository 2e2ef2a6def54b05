// The filters and the order of the list.

import type { Ref } from 'react'
import type { StudioInfo, Count } from '../../data/api/types'
import { Icon } from '../../ui/Icon'
import type { Filters } from '../../lib/router'
import { projectName, setFilters, SORTS } from './filters'

interface Props {
  filters: Filters
  formats: readonly Count[]
  projects: readonly Count[]
  about: StudioInfo | null
  ref: Ref<HTMLInputElement>
}

export function FilterBar({ filters, formats, projects, about, ref }: Props) {
  const titleOf = (slug: string) => about?.formats.find((format) => format.slug === slug)?.title ?? slug
  return (
    <div className="library-filters" role="search" aria-label="Narrow the library">
      <label className="library-text">
        <Icon name="filter" />
        <span className="sr-only">Title, project or path</span>
        <input
          ref={ref}
          type="search"
          dir="auto"
          value={filters.text}
          placeholder="Title, project or path"
          onChange={(event) => setFilters({ text: event.target.value })}
        />
      </label>
      <div className="library-choices">
        <Choice
          label="Format"
          value={filters.format}
          all="All formats"
          counts={formats}
          nameOf={titleOf}
          onChange={(format) => setFilters({ format })}
        />
        <Choice
          label="Project"
          value={filters.project}
          all="All projects"
          counts={projects}
          nameOf={projectName}
          onChange={(project) => setFilters({ project })}
        />
      </div>
    </div>
  )
}

export function SortChoice({ sort }: { sort: string }) {
  return (
    <select
      className="library-sort"
      aria-label="Order"
      value={sort}
      onChange={(event) => setFilters({ sort: event.target.value })}
    >
      {SORTS.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

interface ChoiceProps {
  label: string
  value: string
  all: string
  counts: readonly Count[]
  nameOf: (name: string) => string
  onChange: (value: string) => void
}

function Choice({ label, value, all, counts, nameOf, onChange }: ChoiceProps) {
  const missing = value !== '' && !counts.some((one) => one.name === value)
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{all}</option>
      {missing && <option value={value}>{nameOf(value)}</option>}
      {counts.map((one) => (
        <option key={one.name} value={one.name}>
          {`${nameOf(one.name)} (${one.count})`}
        </option>
      ))}
    </select>
  )
}
