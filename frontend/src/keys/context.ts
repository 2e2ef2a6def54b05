// How many dialogs lie below the component that asks.

import { createContext, useContext } from 'react'

export const Layer = createContext(0)

export function useLayer(): number {
  return useContext(Layer)
}
