// One box for everything: message texts, conversation titles, commands.

import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useBindings } from '../../ui/keys/registry'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Icon } from '../../ui/Icon'
import { closeSheet } from '../../ui/panes'
import { whole } from '../../lib/saying'
import { EntryView } from './EntryView'
import { groupsOf, isCommand, type Entry } from './entries'
import { FieldHelp } from './FieldHelp'
import { useFound } from './useFound'
import './palette.css'

interface Props {
  /** The initial text. */
  first: string
  onClose: () => void
}

export function Palette({ first, onClose }: Props) {
  const [typed, setTyped] = useState(first)
  const [at, setAt] = useState(0)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const results = useFound(isCommand(typed) ? '' : typed)
  const bindings = useBindings()
  const groups = groupsOf(typed, bindings, results)
  const entries = useMemo(() => groups.flatMap((group) => group.entries), [groups])
  const chosen = Math.min(at, entries.length - 1)
  useEffect(() => {
    setAt(0)
  }, [typed])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, entries.length])
  const choose = (entry: Entry) => {
    onClose()
    closeSheet()
    entry.run()
  }
  const press = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + 8,
      PageUp: chosen - 8,
    }
    const next = to[event.key]
    if (next !== undefined) setAt(Math.max(0, Math.min(entries.length - 1, next)))
    else if (event.key === 'Enter' && entries[chosen] && !event.nativeEvent.isComposing) choose(entries[chosen])
    else return
    event.preventDefault()
  }
  const pick = (field: string) => {
    setTyped((now) => `${now.trimEnd()}${now.trim() ? ' ' : ''}${field}`)
    input.current?.focus()
  }
  let number = -1
  return (
    <DialogBody>
      <div className="palette-ask">
        <Icon name={isCommand(typed) ? 'terminal' : 'search'} size={18} />
        <input
          ref={input}
          className="palette-input"
          dir="auto"
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-label="Search all conversations, or > for commands"
          placeholder="Search what was said, titles, > commands"
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={press}
        />
        <span className="palette-told" role="status">
          {told(typed, results)}
        </span>
      </div>
      {results.error && (
        <p className="palette-trouble" role="alert">
          {firstLine(results.error.fault.message)}
          {results.error.fault.hint && <span className="palette-hint">{results.error.fault.hint}</span>}
        </p>
      )}
      <div ref={list} id={`${id}-list`} className="palette-list" role="listbox" aria-label="Results">
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <div className="palette-group" aria-hidden="true">
              {group.title}
            </div>
            {group.entries.map((entry) => {
              number += 1
              return (
                <EntryView
                  key={entry.key}
                  id={`${id}-${number}`}
                  entry={entry}
                  chosen={number === chosen}
                  onChoose={choose}
                />
              )
            })}
          </div>
        ))}
        {entries.length === 0 && !results.loading && !results.error && <p className="palette-none">Nothing found.</p>}
      </div>
      {(typed.trim() === '' || results.error) && (
        <details className="palette-help" open>
          <summary>Narrow a search</summary>
          <FieldHelp onPick={pick} />
        </details>
      )}
    </DialogBody>
  )
}

/** The other lines point at the place in the query with a caret, which the box shows itself. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string
}

function told(typed: string, results: { loading: boolean; found: { total: number; exact: boolean } | null }): string {
  if (isCommand(typed) || typed.trim() === '') return ''
  if (results.loading) return '…'
  if (!results.found) return ''
  const { total, exact } = results.found
  return `${exact ? '' : 'about '}${whole(total)} ${total === 1 ? 'place' : 'places'}`
}
