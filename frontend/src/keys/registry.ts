// All keys and commands that count at the moment: what is pressed is looked up here, and the help
// and the palette show what is here.

import { makeStore, useStore } from '../api/store'
import { compare, strokes, type Pressed } from './match'

export interface Binding {
  /** "j", "g g", "Mod+K"; several with the same meaning as a list; none for a command without keys. */
  keys?: string | string[]
  text: string
  group: string
  run: (event?: KeyboardEvent) => void
  /** Does not count while false. */
  when?: boolean
  /** Also while somebody types. */
  always?: boolean
  /** Shown in the help, not in the palette. */
  quiet?: boolean
}

interface Registered {
  layer: number
  bindings: () => readonly Binding[]
}

const registered = makeStore<readonly Registered[]>([])
const layers: number[] = []
const SEQUENCE = 900

export function register(layer: number, bindings: () => readonly Binding[]): () => void {
  const mine = { layer, bindings }
  registered.set((now) => [...now, mine])
  return () => registered.set((now) => now.filter((one) => one !== mine))
}

export function openLayer(layer: number): void {
  layers.push(layer)
}

export function closeLayer(layer: number): void {
  const at = layers.lastIndexOf(layer)
  if (at >= 0) layers.splice(at, 1)
}

/** Whether something lies over the page. */
export function isCovered(): boolean {
  return layers.length > 0
}

/** All of the page, whatever lies over it. */
export function useBindings(): Binding[] {
  const all = useStore(registered)
  return all.filter((one) => one.layer === 0).flatMap((one) => [...one.bindings()])
}

export function keysOf(binding: Binding): string[] {
  return binding.keys === undefined ? [] : Array.isArray(binding.keys) ? binding.keys : [binding.keys]
}

let pending: Pressed[] = []
let pendingTimer: ReturnType<typeof setTimeout> | undefined

/** Looks up what was pressed. The newest registration wins, as it belongs to what was opened last. */
export function handle(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  const pressed = [...pending, event]
  forget()
  const found = lookUp(pressed, isTyping(event.target)) ?? (pressed.length > 1 ? lookUp([event], isTyping(event.target)) : null)
  if (found === 'begun') remember(pressed)
  else if (found) {
    event.preventDefault()
    found.run(event)
  }
}

function lookUp(pressed: Pressed[], typing: boolean): Binding | 'begun' | null {
  const top = Math.max(0, ...layers)
  let begun = false
  for (const one of [...registered.get()].reverse()) {
    if (one.layer !== top) continue
    for (const binding of one.bindings()) {
      if (binding.when === false) continue
      for (const keys of keysOf(binding)) {
        if (typing && !binding.always && !worksWhileTyping(keys)) continue
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
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|range|file)$/.test(target.type)
}
