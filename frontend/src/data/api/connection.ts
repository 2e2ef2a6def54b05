// Whether the server is there and knows us.

import { makeStore, useStore } from '../../lib/store'

/** `login`: the cookie is missing or old. `gone`: nobody answers. */
export type Connection = 'ok' | 'login' | 'gone'

const connection = makeStore<Connection>('ok')

export function useConnection(): Connection {
  return useStore(connection)
}

export function lost(how: 'login' | 'gone'): void {
  connection.set(how)
}

export function reached(): void {
  connection.set('ok')
}
