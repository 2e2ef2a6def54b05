// Opens the palette, and defines its keys.

import { useKeys } from '../../ui/keys/use'
import { openOverlay } from '../../ui/overlay/stack'
import { Palette } from './Palette'

/** Opens it; "> " begins a command. */
export function openPalette(text = ''): void {
  openOverlay({
    name: 'palette',
    shape: 'dialog',
    title: 'Search and commands',
    bare: true,
    className: 'palette',
    render: (close) => <Palette first={text} onClose={close} />,
  })
}

export function PaletteKeys(): null {
  useKeys([
    { keys: 'Mod+K', text: 'Search and commands', group: 'Everywhere', run: () => openPalette(), quiet: true },
    { keys: 'Mod+Shift+P', text: 'Commands', group: 'Everywhere', run: () => openPalette('> '), quiet: true },
  ])
  return null
}
