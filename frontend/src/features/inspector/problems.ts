/** Findings by their rule. */

import type { FindingShape } from '../../data/api/types'

export interface RuleGroup {
  code: string
  name: string
  severity: FindingShape['severity']
  url: string
  findings: FindingShape[]
  /** How many have a safe fix. */
  safe: number
}

const WEIGHT = { error: 0, warning: 1, note: 2 } as const

/** Returns one group for each rule, the most severe first, then the most frequent. */
export function byRule(findings: readonly FindingShape[]): RuleGroup[] {
  const groups = new Map<string, RuleGroup>()
  for (const found of findings) {
    const { code, name, severity, url = '' } = found
    const group = groups.get(code) ?? { code, name, severity, url, findings: [], safe: 0 }
    group.findings.push(found)
    if (found.fix === 'safe') group.safe += 1
    if (WEIGHT[severity] < WEIGHT[group.severity]) group.severity = severity
    groups.set(code, group)
  }
  return [...groups.values()].toSorted(
    (a, b) =>
      WEIGHT[a.severity] - WEIGHT[b.severity] || b.findings.length - a.findings.length || a.code.localeCompare(b.code),
  )
}
