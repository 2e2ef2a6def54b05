import { expect, it } from 'vitest'
import type { PlanPreview, PlanStep } from '../../../data/api/types'
import { answer, applicable, inOrder, open, settled } from './plan'

const step = (path: string, part: Partial<PlanStep> = {}): PlanStep => ({
  action: 'write',
  path,
  reason: '',
  conflict: false,
  choices: [],
  choice: null,
  html: '',
  ...part,
})
const CONFLICT = { conflict: true, choices: ['keep', 'theirs'] }
const plan = (...steps: PlanStep[]): PlanPreview => ({
  digest: 'd',
  steps,
  conflicts: 0,
  uncovered: [],
  chat: '',
  moves_chat: false,
})

it('may be applied only when no conflict is open and the server knows every choice', () => {
  const undecided = plan(step('a'), step('b', CONFLICT))
  expect(open(undecided, {}).map((one) => one.path)).toEqual(['b'])
  expect(applicable(undecided, {})).toBe(false)
  // chosen here, but the plan with its digest was made without it
  expect(open(undecided, { b: 'keep' })).toEqual([])
  expect(settled(undecided, { b: 'keep' })).toBe(false)
  expect(applicable(undecided, { b: 'keep' })).toBe(false)
  expect(applicable(plan(step('a'), step('b', { ...CONFLICT, choice: 'keep' })), { b: 'keep' })).toBe(true)
  expect(applicable(plan(), {})).toBe(true)
})

it('may not be applied where nothing of it can be done', () => {
  const cannot = step('a', { action: 'cannot' })
  expect(applicable(plan(cannot), {})).toBe(false)
  expect(applicable(plan(cannot, step('b')), {})).toBe(true)
  expect(applicable({ ...plan(cannot), moves_chat: true }, {})).toBe(true)
})

it('hears only answers that were offered', () => {
  expect(answer(step('b', CONFLICT), { b: 'burn it' })).toBeNull()
  expect(applicable(plan(step('b', CONFLICT)), { b: 'burn it' })).toBe(false)
})

it('shows conflicts first and what stays last', () => {
  const steps = [step('z', { action: 'keep' }), step('y'), step('x', CONFLICT)]
  expect(inOrder(steps).map((one) => one.path)).toEqual(['x', 'y', 'z'])
})
