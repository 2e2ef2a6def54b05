// All keys and commands that count at the moment: what is pressed is looked up here, and the help
// and the palette show what is here.

import { currentRoute } from '../../lib/router'
import { makeStore, useStore } from '../../lib/store'
import { typeAhead } from '../overlay/field'
import { closeOverlay, PAGE, topOverlay, topScope } from '../overlay/stack'
import { toast } from '../Toast'
import { compare, strokes, type Pressed } from './match'

export interface Binding {
  /** "j", "g g", "Mod+K"; several with the same meaning as a list; none for a command without keys. */
  keys?: string | string[]
  text: string
  group: string
  run: (event?: KeyboardEvent) => void
  /** Does not count while false. */
  when?: boolean
  /** Why it would do nothing now, if it would: that is said instead, also while it does not count otherwise. */
  refuse?: () => string | null
  /** Also while somebody types. */
  always?: boolean
  /** Never while somebody types, as the field has a meaning for these keys, too. */
  notInFields?: boolean
  /** Shown in the help, not in the palette. */
  quiet?: boolean
}

interface Registered {
  /** The overlay they belong to, or the page. */
  scope: number
  bindings: () => readonly Binding[]
}

const registered = makeStore<readonly Registered[]>([])
const SEQUENCE = 900

export function register(scope: number, bindings: () => readonly Binding[]): () => void {
  const mine = { scope, bindings }
  registered.set((now) => [...now, mine])
  return () => registered.set((now) => now.filter((one) => one !== mine))
}

/** All of the page, whatever lies over it. */
export function useBindings(): Binding[] {
  const all = useStore(registered)
  return all.filter((one) => one.scope === PAGE).flatMap((one) => [...one.bindings()])
}

export function keysOf(binding: Binding): string[] {
  return binding.keys === undefined ? [] : Array.isArray(binding.keys) ? binding.keys : [binding.keys]
}

let pending: Pressed[] = []
let pendingTimer: ReturnType<typeof setTimeout> | undefined

/** Looks up what was pressed, among the keys of what lies on top. The newest registration wins, as it belongs to
    what was opened last. */
export function handle(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  if (!isTyping(event.target) && typeAhead(event)) return forget()
  const pressed = [...pending, event]
  forget()
  const found =
    lookUp(pressed, isTyping(event.target)) ?? (pressed.length > 1 ? lookUp([event], isTyping(event.target)) : null)
  if (found === 'begun') remember(pressed)
  else if (found) {
    event.preventDefault()
    perform(found, event)
  } else if (event.key === 'Escape') closeTop(event)
}

/** Runs a command, or says why it does nothing. */
export function perform(binding: Binding, event?: KeyboardEvent): void {
  const reason = binding.refuse?.() ?? null
  if (reason === null) binding.run(event)
  else toast(reason, 'plain', { conversation: currentRoute().cid ?? undefined })
}

function closeTop(event: KeyboardEvent): void {
  const top = topOverlay()
  if (!top) return
  event.preventDefault()
  closeOverlay(top.id)
}

function lookUp(pressed: Pressed[], typing: boolean): Binding | 'begun' | null {
  const top = topScope()
  let begun = false
  for (const one of registered.get().toReversed()) {
    if (one.scope !== top) continue
    for (const binding of one.bindings()) {
      if (binding.when === false && !binding.refuse) continue
      for (const keys of keysOf(binding)) {
        if (typing && (binding.notInFields || (!binding.always && !worksWhileTyping(keys)))) continue
        const match = compare(strokes(keys), pressed)
        if (match === 'whole') return binding
        begun ||= match === 'begun'
      }
    }
  }
  return begun ? 'begun' : null
}

function remember(pressed: Pressed[]): void {
  pending = pressed
  pendingTimer = setTimeout(forget, SEQUENCE)
}

function forget(): void {
  clearTimeout(pendingTimer)
  pending = []
}

function isModifier(key: string): boolean {
  return key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta'
}

function worksWhileTyping(keys: string): boolean {
  return keys === 'Escape' || /^(Mod|Meta|Cmd)\+/.test(keys)
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|range|file)$/.test(target.type)
}
