// The statistics as files.

import type { UsageCount, UsageStatistics } from '../../../data/api/types'

/** Returns a cell that no spreadsheet reads as a formula. */
export function cell(value: string | number | null): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** All in one table: what kind of line, its name, and the numbers. */
export function asCsv(statistics: UsageStatistics): string {
  const lines: (string | number | null)[][] = [
    ['kind', 'name', 'count', 'failures', 'input', 'output', 'cache_read', 'cache_write', 'cost'],
  ]
  for (const day of statistics.days) {
    const { input, output, cache_read, cache_write } = day.tokens
    lines.push(['day', day.day, day.messages, null, input, output, cache_read, cache_write, day.cost])
  }
  const add = (kind: string, counted: readonly UsageCount[]) => {
    for (const one of counted) lines.push([kind, one.name, one.count, one.failures, null, null, null, null, one.cost])
  }
  add('model', statistics.models)
  add('tool', statistics.tools)
  add('project', statistics.projects)
  for (const one of statistics.words) add(one.name, one.values)
  return lines.map((line) => line.map(cell).join(',')).join('\r\n') + '\r\n'
}

/** Hands a text over as a file. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
