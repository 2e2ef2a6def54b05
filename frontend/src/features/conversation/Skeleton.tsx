// The placeholder of a row that is being loaded.

import { memo } from 'react'

export const Skeleton = memo(function Skeleton({ height }: { height: number }) {
  return (
    <div className="conv-skeleton" style={{ height }} aria-hidden="true">
      <i />
      <i />
      {height > 60 && <i />}
    </div>
  )
})
