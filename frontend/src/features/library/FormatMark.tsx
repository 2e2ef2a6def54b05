// A format, as two letters of its name, or in words.

import type { FormatSummary } from '../../data/api/types'

interface Props {
  slug: string
  formats: readonly FormatSummary[] | undefined
  long?: boolean
}

export function FormatMark({ slug, formats, long }: Props) {
  const title = formats?.find((format) => format.slug === slug)?.title ?? slug
  if (long) return <span className="format-long">{title}</span>
  return (
    <span className="format-mark" role="img" aria-label={title} title={title}>
      {letters(title)}
    </span>
  )
}

/** Returns the first letters of the first two words, or the first two of the only one. */
export function letters(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const [first = '?', second] = words
  return (second ? first[0] + (second[0] as string) : first.slice(0, 2)).toUpperCase()
}
