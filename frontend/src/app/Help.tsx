// The help: all active keys, and the syntax of queries.

import { Keys } from '../ui/keys/Keys'
import { keysOf, useBindings, type Binding } from '../ui/keys/registry'
import { useKeys } from '../ui/keys/use'
import { DialogBody } from '../ui/overlay/DialogBody'
import { openOverlay } from '../ui/overlay/stack'
import { useGet } from '../data/api/use'
import type { StudioInfo } from '../data/api/types'
import { FieldHelp } from '../features/search/FieldHelp'
import { Button } from '../ui/Button'
import { useBrowserCommand } from './browserCommand'
import './help.css'

export function openHelp(): void {
  openOverlay({ name: 'help', shape: 'dialog', title: 'Help', wide: true, render: () => <Help /> })
}

export function HelpKeys(): null {
  useKeys([{ keys: '?', text: 'Help: all keys', group: 'Everywhere', run: openHelp }])
  return null
}

function Help() {
  const groups = grouped(useBindings())
  const about = useGet<StudioInfo>('/about')
  const browser = useBrowserCommand(about.data?.read_only ?? true)
  return (
    <DialogBody>
      <div className="help">
        {groups.map(([group, bindings]) => (
          <section key={group} className="help-group">
            <h3>{group}</h3>
            <dl>
              {bindings.map((binding) => (
                <div key={binding.text} className="help-line">
                  <dt>{binding.text}</dt>
                  <dd>
                    {keysOf(binding).map((keys) => (
                      <Keys key={keys} keys={keys} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section className="help-group">
          <h3>Search</h3>
          <FieldHelp />
        </section>
        {browser && (
          <section className="help-group">
            <h3>This browser</h3>
            <p>{browser.about}</p>
            <Button icon="key" onClick={browser.run}>
              {browser.text}
            </Button>
          </section>
        )}
      </div>
    </DialogBody>
  )
}

const ORDER = ['Everywhere', 'Library', 'Conversation', 'Messages', 'Branches', 'Editing', 'Inspector', 'View']

/** Grouped in a fixed order, without bindings that have no words or no keys. */
export function grouped(bindings: readonly Binding[]): [string, Binding[]][] {
  const groups = new Map<string, Binding[]>()
  for (const binding of bindings) {
    if (!binding.text || keysOf(binding).length === 0) continue
    const group = groups.get(binding.group) ?? []
    if (!group.some((one) => one.text === binding.text)) group.push(binding)
    groups.set(binding.group, group)
  }
  const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  return [...groups].toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
}
