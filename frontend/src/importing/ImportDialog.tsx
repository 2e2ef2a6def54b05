// What was brought in: what it is, how sound it is, and what to do with it.

import { useStore } from '../api/store'
import type { FormatInfo } from '../api/types'
import { Button } from '../shell/Button'
import { Dialog } from '../shell/Dialog'
import { go } from '../shell/router'
import { count } from '../shell/saying'
import { ItemView } from './ItemView'
import { chooseFiles, dropAll, items, keep, type Item } from './imports'

export default function ImportDialog({ formats }: { formats: readonly FormatInfo[] }) {
  const all = useStore(items) ?? []
  const ready = all.filter((item) => item.state === 'ready')
  const kept = all.filter((item) => item.state === 'kept')
  const open = (item: Item) => {
    dropAll()
    if (item.job?.cid) go({ cid: item.job.cid })
  }
  const footer = (
    <>
      <Button icon="add" onClick={() => chooseFiles()}>
        More files
      </Button>
      <span className="import-rest" />
      {ready.length > 0 && (
        <Button kind="primary" data-autofocus onClick={() => ready.forEach((item) => void keep(item))}>
          {ready.length === 1 ? 'Keep it' : `Keep all ${ready.length}`}
        </Button>
      )}
      {ready.length === 0 && kept.length === 1 && all.length === 1 && (
        <Button kind="primary" onClick={() => open(kept[0] as Item)}>
          Open it
        </Button>
      )}
      {ready.length === 0 && (kept.length !== 1 || all.length !== 1) && <Button onClick={dropAll}>Close</Button>}
    </>
  )
  return (
    <Dialog title={`Import ${count(all.length, all.every((item) => item.folder) ? 'folder' : all.some((item) => item.folder) ? 'item' : 'file')}`} wide onClose={dropAll} footer={footer}>
      <ul className="import-items">
        {all.map((item) => (
          <ItemView key={item.id} item={item} formats={formats} onOpen={open} />
        ))}
      </ul>
    </Dialog>
  )
}
