// Keys as a hook.

import { useEffect, useRef } from 'react'
import { useScope } from '../overlay/scope'
import { register, type Binding } from './registry'

/** Activates keys and commands while the component is mounted. Accepts { 'j': run } for keys without a label. */
export function useKeys(
  bindings: readonly Binding[] | Record<string, () => void>,
  options: { when?: boolean } = {},
): void {
  const scope = useScope()
  const latest = useRef<readonly Binding[]>([])
  latest.current = options.when === false ? [] : listed(bindings)
  useEffect(() => register(scope, () => latest.current), [scope])
}

function listed(bindings: readonly Binding[] | Record<string, () => void>): readonly Binding[] {
  if (Array.isArray(bindings)) return bindings as readonly Binding[]
  return Object.entries(bindings).map(([keys, run]) => ({ keys, run, text: '', group: '' }))
}
