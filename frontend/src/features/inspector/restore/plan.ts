/** A plan for the files of a session: its open conflicts, and when it may be applied. */

import type { PlanPreview, PlanStep } from '../../../data/api/types'

/** The choices for conflicts, by path. */
export type Choices = Record<string, string>

/** The meaning of the choices for a conflict. */
export const ANSWERS: Record<string, string> = {
  keep: 'Leave the file as it is now',
  theirs: 'Take what the session has',
  both: 'Keep both, side by side',
  merge: 'Join both texts',
}

/** Returns the choice in effect for a step: the new one, or the one the server knows. */
export function answer(step: PlanStep, choices: Choices): string | null {
  const given = choices[step.path] ?? step.choice ?? null
  const allowed = step.choices ?? []
  return given !== null && (allowed.length === 0 || allowed.includes(given)) ? given : null
}

/** Returns unresolved conflicts. */
export function open(plan: PlanPreview, choices: Choices): PlanStep[] {
  return plan.steps.filter((step) => step.conflict && answer(step, choices) === null)
}

/** Whether the server knows all choices: its digest only covers its own. */
export function settled(plan: PlanPreview, choices: Choices): boolean {
  return plan.steps.every((step) => {
    const given = choices[step.path]
    return given === undefined || given === step.choice || !(step.choices ?? []).includes(given)
  })
}

/** Whether nothing in it can be applied. */
export function hopeless(plan: PlanPreview): boolean {
  return !plan.moves_chat && plan.steps.length > 0 && plan.steps.every((step) => step.action === 'cannot')
}

/** Whether it may be applied: something can be done, there are no open conflicts, and the plan is the one shown. */
export function applicable(plan: PlanPreview, choices: Choices): boolean {
  return !hopeless(plan) && open(plan, choices).length === 0 && settled(plan, choices)
}

/** Sorts steps: conflicts first, then changes, unchanged files last. */
export function inOrder(steps: readonly PlanStep[]): PlanStep[] {
  const weight = (step: PlanStep): number =>
    step.conflict ? 0 : /^(keep|same|nothing|unchanged|skip)$/.test(step.action) ? 2 : 1
  return steps.toSorted((a, b) => weight(a) - weight(b) || a.path.localeCompare(b.path))
}
