// A link to a file that the server sends.

import type { ReactNode } from 'react'
import { useSigned } from '../../data/api/key'

interface Props {
  /** The address as requests have it, without a ticket. */
  address: string
  /** What the file is called; the server says it where this is left out. */
  name?: string
  className?: string
  children: ReactNode
}

export function DownloadLink({ address, name, className, children }: Props) {
  return (
    <a className={className} href={useSigned(address)} download={name ?? true}>
      {children}
    </a>
  )
}
