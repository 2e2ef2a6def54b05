// Dialogs lie over the page, and only the keys of what is on top count.

import { useEffect, type ReactNode } from 'react'
import { Layer, useLayer } from './context'
import { closeLayer, openLayer } from './registry'
import { useKeys } from './use'

interface Props {
  onEscape: () => void
  children: ReactNode
}

export function KeyLayer({ onEscape, children }: Props) {
  const layer = useLayer() + 1
  useEffect(() => {
    openLayer(layer)
    return () => closeLayer(layer)
  }, [layer])
  return (
    <Layer.Provider value={layer}>
      <Escape run={onEscape} />
      {children}
    </Layer.Provider>
  )
}

function Escape({ run }: { run: () => void }) {
  useKeys([{ keys: 'Escape', text: 'Close', group: 'Everywhere', run }])
  return null
}
