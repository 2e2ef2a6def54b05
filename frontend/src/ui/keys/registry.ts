// All active keys and commands: pressed keys are looked up here, and the help and the palette list them.

import { currentRoute } from '../../lib/router'
import { makeStore, useStore } from '../../lib/store'
import { typeAhead } from '../overlay/field'
import { closeOverlay, PAGE, topOverlay, topScope } from '../overlay/stack'
import { toast } from '../Toast'
import { compare, strokes, type Pressed } from './match'

export interface Binding {
  /** "j", "g g", "Mod+K"; a list for several with the same meaning; empty for a command without keys. */
  keys?: string | string[]
  text: string
  group: string
  run: (event?: KeyboardEvent) => void
  /** Inactive while false. */
  when?: boolean
  /** Returns why it would do nothing now: that is shown instead, even while it is inactive. */
  refuse?: () => string | null
  /** Also active in text fields. */
  always?: boolean
  /** Never active in text fields, where these keys have a meaning, too. */
  notInFields?: boolean
  /** Listed in the help, but not in the palette. */
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

/** Returns all bindings of the page, whatever overlays are open. */
export function useBindings(): Binding[] {
  const all = useStore(registered)
  return all.filter((one) => one.scope === PAGE).flatMap((one) => [...one.bindings()])
}

export function keysOf(binding: Binding): string[] {
  return binding.keys === undefined ? [] : Array.isArray(binding.keys) ? binding.keys : [binding.keys]
}

let pending: Pressed[] = []
let pendingTimer: ReturnType<typeof setTimeout> | undefined

/**
 * Looks up a key among the bindings of the topmost overlay. The newest registration wins, because it belongs to what
 * was opened last.
 */
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

/** Runs a command, or shows why it does nothing. */
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
