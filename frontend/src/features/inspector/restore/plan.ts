/** A plan for the files of a session: what is open in it, and when it may be applied. */

import type { PlanPreview, PlanStep } from '../../../data/api/types'

/** By path what was chosen about its conflict. */
export type Choices = Record<string, string>

/** What the answers to a conflict mean. */
export const ANSWERS: Record<string, string> = {
  keep: 'Leave the file as it is now',
  theirs: 'Take what the session has',
  both: 'Keep both, side by side',
  merge: 'Join both texts',
}

/** The answer that counts for a step: the one just given, or the one the server knows. */
export function answer(step: PlanStep, choices: Choices): string | null {
  const given = choices[step.path] ?? step.choice ?? null
  const allowed = step.choices ?? []
  return given !== null && (allowed.length === 0 || allowed.includes(given)) ? given : null
}

/** Conflicts nobody has decided. */
export function open(plan: PlanPreview, choices: Choices): PlanStep[] {
  return plan.steps.filter((step) => step.conflict && answer(step, choices) === null)
}

/** Whether the server has been told all that was chosen: its digest covers its own choices only. */
export function settled(plan: PlanPreview, choices: Choices): boolean {
  return plan.steps.every((step) => {
    const given = choices[step.path]
    return given === undefined || given === step.choice || !(step.choices ?? []).includes(given)
  })
}

/** Whether nothing of it can be done. */
export function hopeless(plan: PlanPreview): boolean {
  return !plan.moves_chat && plan.steps.length > 0 && plan.steps.every((step) => step.action === 'cannot')
}

/** Whether it may be applied: something can be done, no conflict left open, and the plan is the one shown. */
export function applicable(plan: PlanPreview, choices: Choices): boolean {
  return !hopeless(plan) && open(plan, choices).length === 0 && settled(plan, choices)
}

/** Steps that change something first, what stays as it is last; conflicts before all. */
export function inOrder(steps: readonly PlanStep[]): PlanStep[] {
  const weight = (step: PlanStep): number =>
    step.conflict ? 0 : /^(keep|same|nothing|unchanged|skip)$/.test(step.action) ? 2 : 1
  return steps.toSorted((a, b) => weight(a) - weight(b) || a.path.localeCompare(b.path))
}
