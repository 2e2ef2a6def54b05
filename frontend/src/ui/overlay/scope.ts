// The overlay that a component is part of; its keys are active while that is on top.

import { createContext, useContext } from 'react'
import { PAGE } from './stack'

export const Scope = createContext(PAGE)

export function useScope(): number {
  return useContext(Scope)
}
