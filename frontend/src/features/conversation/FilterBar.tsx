// Filters the rows: by speaker, content, state, tool and tag.

import { useState } from 'react'
import { path } from '../../data/api/client'
import type { UsageOver } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { Button } from '../../ui/Button'
import { useConversation, useOpen } from '../../data/conversation/ConversationProvider'
import { useRoute } from '../../lib/router'
import { CHOICES, termWords, toggled } from './filters'
import type { List } from './list'

const KNOWN = new Set(CHOICES.flatMap((group) => group.terms.map((choice) => choice.term)))

export function FilterBar({ list }: { list: List | null }) {
  const open = useOpen()
  const { show } = useRoute()
  const set = (term: string) => open.narrow(toggled(show, term))
  return (
    <div className="conv-filter" role="group" aria-label="Filter the rows">
      {CHOICES.map((group) => (
        <span key={group.name} className="conv-filter-group" role="group" aria-label={group.name}>
          {group.terms.map(({ term, text }) => (
            <button
              key={term}
              type="button"
              className="conv-term"
              aria-pressed={show.includes(term)}
              onClick={() => set(term)}
            >
              {text}
            </button>
          ))}
        </span>
      ))}
      <span className="conv-filter-group">
        {show
          .filter((term) => !KNOWN.has(term))
          .map((term) => (
            <button key={term} type="button" className="conv-term" aria-pressed onClick={() => set(term)}>
              {termWords(term)}
            </button>
          ))}
        <Named name="tool" text="Tool" options={useTools()} onAdd={set} />
        <Named name="tag" text="Tag" options={tagsOf(list)} onAdd={set} />
      </span>
      {show.length > 0 && (
        <Button small kind="quiet" icon="close" onClick={() => open.narrow([])}>
          Clear
        </Button>
      )}
    </div>
  )
}

interface NamedProps {
  name: string
  text: string
  options: string[]
  onAdd: (term: string) => void
}

/** A name that is typed or chosen. */
function Named({ name, text, options, onAdd }: NamedProps) {
  const [typed, setTyped] = useState('')
  const add = (value: string) => {
    if (value.trim()) onAdd(`${name}:${value.trim()}`)
    setTyped('')
  }
  return (
    <>
      <input
        className="conv-named"
        list={`conv-${name}s`}
        placeholder={`${text}…`}
        aria-label={`Filter by ${text.toLowerCase()}`}
        value={typed}
        onChange={(event) =>
          options.includes(event.target.value) ? add(event.target.value) : setTyped(event.target.value)
        }
        onKeyDown={(event) => event.key === 'Enter' && add(typed)}
      />
      <datalist id={`conv-${name}s`}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </>
  )
}

function useTools(): string[] {
  const { cid, leaf } = useConversation()
  const usage = useGet<UsageOver>(cid ? path`/c/${cid}/usage` : null, { leaf }, { keep: true })
  return (usage.data?.tools ?? []).map((tool) => tool.name)
}

function tagsOf(list: List | null): string[] {
  const tags = new Set<string>()
  for (const row of list?.pages.here() ?? []) {
    for (const chip of row.chips) if (chip.name === 'tag') tags.add(chip.text)
  }
  return [...tags].toSorted()
}
