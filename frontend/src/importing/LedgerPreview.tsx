// What a format could not hold of a file.

import { path } from '../api/client'
import type { Ledger } from '../api/types'
import { useGet } from '../api/use'
import { bytes, count } from '../shell/saying'
import LedgerTable from '../work/LedgerTable'

export function LedgerPreview({ upload, to }: { upload: string; to: string }) {
  const ledger = useGet<Ledger>(path`/uploads/${upload}/ledger`, { to })
  if (ledger.error) return <p className="import-trouble" role="alert">{ledger.error.fault.message}</p>
  if (!ledger.data) return <p className="import-soft" role="status">Looking what it would lose…</p>
  const { lost, carried, carried_bytes: size, losses } = ledger.data
  return (
    <div className="import-ledger">
      <p className={lost > 0 ? 'import-wrong' : 'import-good'} role="status">
        {lost > 0 ? `${count(lost, 'thing')} would be lost` : 'Nothing would be lost'}
        {carried > 0 && `; ${count(carried, 'thing')} carried along (${bytes(size)})`}.
      </p>
      {losses.length > 0 && <LedgerTable ledger={ledger.data} />}
    </div>
  )
}
