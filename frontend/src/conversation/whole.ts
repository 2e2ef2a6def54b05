// Messages that were too long for the list and were asked for by themselves.

import { get, path } from '../api/client'
import { makeStore, useStore } from '../api/store'
import type { Row } from '../api/types'
import { toast } from '../shell/Toast'

const MOST = 20
const whole = makeStore<ReadonlyMap<string, Row>>(new Map())

/** The message with nothing cut, if it was asked for; else as it is. */
export function useWhole(cid: string, row: Row): Row {
  const kept = useStore(whole).get(`${cid} ${row.id}`)
  return kept ? { ...row, blocks: kept.blocks, text: kept.text } : row
}

export async function showWhole(cid: string, id: string): Promise<void> {
  try {
    const got = await get<Row>(path`/c/${cid}/messages/${id}`)
    whole.set((now) => new Map([...[...now].slice(1 - MOST), [`${cid} ${id}`, got]]))
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), 'error')
  }
}

/** After an edit what was kept may be old. */
export function forgetWhole(): void {
  if (whole.get().size) whole.set(new Map())
}
