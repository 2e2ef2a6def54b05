// What a format could not hold of a file.

import { path } from '../../data/api/client'
import type { LossSummary } from '../../data/api/types'
import { useGet } from '../../data/api/use'
import { LedgerTable } from '../common/LedgerTable'

export function LedgerPreview({ upload, to }: { upload: string; to: string }) {
  const ledger = useGet<LossSummary>(path`/uploads/${upload}/ledger`, { to })
  if (ledger.error) {
    return (
      <p className="import-trouble" role="alert">
        {ledger.error.fault.message}
      </p>
    )
  }
  if (!ledger.data) {
    return (
      <p className="import-soft" role="status">
        Looking what it would lose…
      </p>
    )
  }
  return (
    <div className="import-ledger">
      <LedgerTable ledger={ledger.data} />
    </div>
  )
}
