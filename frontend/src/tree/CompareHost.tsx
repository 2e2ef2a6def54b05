// Where branches are compared, and dropped messages are asked about.

import { Dialog } from '../shell/Dialog'
import { CompareView } from './CompareView'
import { Dropped } from './Dropped'
import { stopComparing, useComparing } from './marked'

export function CompareHost({ cid }: { cid: string }) {
  const pair = useComparing()
  return (
    <>
      <Dropped cid={cid} />
      {pair && (
        <Dialog title="Compare branches" wide onClose={stopComparing} className="tree-compare-dialog">
          <CompareView cid={cid} a={pair[0]} b={pair[1]} onGo={stopComparing} />
        </Dialog>
      )}
    </>
  )
}
