// That something is left out, and the way to it.

import { useState } from 'react'
import type { Block } from '../../api/types'
import { showWhole } from '../whole'
import { short } from '../words'

export function Cut({ block, cid, id }: { block: Block; cid: string; id: string }) {
  const [asked, setAsked] = useState(false)
  if (!block.cut) return null
  const show = async () => {
    setAsked(true)
    await showWhole(cid, id)
    setAsked(false)
  }
  return (
    <button type="button" className="conv-cut" disabled={asked} onClick={() => void show()}>
      {asked ? 'Loading…' : `Show all (${short(block.cut)} more characters)`}
    </button>
  )
}
