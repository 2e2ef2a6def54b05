// The palette is there when it is asked for.

import { lazy, Suspense } from 'react'
import { useStore } from '../api/store'
import { useKeys } from '../keys/use'
import { openPalette, paletteText } from './palette'

const Palette = lazy(() => import('./Palette'))

export function PaletteHost() {
  const text = useStore(paletteText)
  useKeys([
    { keys: 'Mod+K', text: 'Search and commands', group: 'Everywhere', run: () => openPalette(), quiet: true },
    { keys: 'Mod+Shift+P', text: 'Commands', group: 'Everywhere', run: () => openPalette('> '), quiet: true },
  ])
  if (text === null) return null
  return (
    <Suspense fallback={null}>
      <Palette first={text} />
    </Suspense>
  )
}
