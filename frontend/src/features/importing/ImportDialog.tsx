// The uploads: their formats, their findings, and what to do with them.

import { useStore } from '../../lib/store'
import type { StudioInfo } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { DialogBody } from '../../ui/overlay/DialogBody'
import { Button } from '../../ui/Button'
import { go } from '../../lib/router'
import { ItemView } from './ItemView'
import { chooseFiles, dropAll, keep } from './imports'
import { items, type Item } from './items'

export default function ImportDialog() {
  const formats = useGet<StudioInfo>('/about').data?.formats ?? []
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
        <Button kind="primary" onClick={() => ready.forEach((item) => void keep(item))}>
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
    <DialogBody footer={footer}>
      <ul className="import-items">
        {all.map((item) => (
          <ItemView key={item.id} item={item} formats={formats} onOpen={open} />
        ))}
      </ul>
    </DialogBody>
  )
}
