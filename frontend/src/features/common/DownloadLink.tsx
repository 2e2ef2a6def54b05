// A link to a file that the server sends.

import type { ReactNode } from 'react'
import { useSigned } from '../../data/api/key'

interface Props {
  /** The address of the request, without a ticket. */
  address: string
  /** The name of the file; by default the server sets it. */
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
