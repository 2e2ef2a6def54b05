// Whether the server answers and this page is logged in.

import { makeStore, useStore } from '../../lib/store'

/**
 * `login`: the cookie is missing or expired. `locked`: the library is encrypted and locked. `gone`: the server does not
 * answer.
 */
export type Connection = 'ok' | 'login' | 'locked' | 'gone'

const connection = makeStore<Connection>('ok')

export function useConnection(): Connection {
  return useStore(connection)
}

export function lost(how: 'login' | 'locked' | 'gone'): void {
  connection.set(how)
}

export function reached(): void {
  connection.set('ok')
}
