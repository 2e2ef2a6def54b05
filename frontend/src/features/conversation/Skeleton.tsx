// What stands where a row will be.

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
