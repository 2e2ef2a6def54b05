// Whether the palette is open, and with which words.

import { makeStore } from '../api/store'

export const paletteText = makeStore<string | null>(null)

/** Opens it; "> " begins a command. */
export function openPalette(text = ''): void {
  paletteText.set(text)
}

export function closePalette(): void {
  paletteText.set(null)
}
