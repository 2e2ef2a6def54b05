// The dialog about uploads: open as long as there are any.

import { useStore } from '../../lib/store'
import { lazyPart } from '../../ui/overlay/lazyPart'
import { isOpen, openOverlay } from '../../ui/overlay/stack'
import { count } from '../../lib/saying'
import { items } from './items'

const ImportDialog = lazyPart(() => import('./ImportDialog'))

/** Opens it; `onClose` is called when it is closed. */
export function openImport(onClose: () => void): void {
  if (isOpen('import')) return
  openOverlay({
    name: 'import',
    shape: 'dialog',
    title: <Title />,
    wide: true,
    onClose,
    render: () => <ImportDialog />,
  })
}

function Title() {
  const all = useStore(items) ?? []
  const word = all.every((item) => item.folder) ? 'folder' : all.some((item) => item.folder) ? 'item' : 'file'
  return <>Import {count(all.length, word)}</>
}
