// Display settings of conversations: layout, thinking. Stored in this browser. The filter of the rows is in the
// address.

import { makeStore, useStore } from '../../lib/store'

export type LayoutName = 'cards' | 'compact' | 'reading'
export const LAYOUTS: readonly LayoutName[] = ['cards', 'compact', 'reading']

export interface View {
  layout: LayoutName
  /** Whether thinking is unfolded. */
  thinking: boolean
  /** Whether the filter bar is shown. */
  filtering: boolean
}

const PLACE = 'talktree.view'
const FIRST: View = { layout: 'cards', thinking: false, filtering: false }
/** Estimated height of a row before it is measured. */
const HEIGHTS: Record<LayoutName, number> = { cards: 132, compact: 40, reading: 150 }

const view = makeStore<View>(remembered())

export function useView(): View {
  return useStore(view)
}

export function getView(): View {
  return view.get()
}

export function changeView(part: Partial<View>): void {
  view.set((now) => ({ ...now, ...part }))
  try {
    localStorage.setItem(PLACE, JSON.stringify(view.get()))
  } catch {
    // Without storage, settings are only lost on reload.
  }
}

export function estimate(layout: LayoutName): number {
  return HEIGHTS[layout]
}

function remembered(): View {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<View>
    return {
      layout: LAYOUTS.find((name) => name === kept.layout) ?? FIRST.layout,
      thinking: kept.thinking === true,
      filtering: kept.filtering === true,
    }
  } catch {
    return FIRST
  }
}
