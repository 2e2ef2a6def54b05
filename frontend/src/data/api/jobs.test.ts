import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queries } from './cache'
import { follow, startJob } from './jobs'
import type { JobState } from './types'

const job = (state: JobState['state'], done = 0): JobState => ({
  id: 'a',
  kind: 'import',
  state,
  done,
  total: 2,
  text: '',
  error: null,
  file: null,
  size: null,
  cid: null,
})
let answers: (JobState | 'away' | 'unknown')[] = []
const fetched = vi.fn(async () => {
  const next = answers.length > 1 ? answers.shift() : answers[0]
  if (next === 'away') throw new TypeError('no connection')
  if (next === 'unknown') return new Response('{"error": "not-found", "message": "no such job"}', { status: 404 })
  return new Response(JSON.stringify(next))
})
const followed = async (): Promise<string[]> => {
  const seen: string[] = []
  follow(
    'a',
    (step) => seen.push(`${step.state} ${step.done}`),
    () => seen.push('end'),
  )
  await vi.advanceTimersByTimeAsync(5000)
  return seen
}

beforeEach(() => {
  vi.useFakeTimers()
  fetched.mockClear()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => {
  queries.clear()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('asks until a job ends, and then no more', async () => {
  answers = [job('running', 0), job('running', 1), job('done', 2)]
  expect(await followed()).toEqual(['running 0', 'running 1', 'done 2', 'end'])
  expect(fetched).toHaveBeenCalledTimes(3)
})

it('goes on while the server is away', async () => {
  answers = [job('running', 0), 'away', 'away', job('done', 2)]
  expect(await followed()).toEqual(['running 0', 'done 2', 'end'])
})

it('stops asking for a job that the server does not know', async () => {
  answers = ['unknown']
  expect(await followed()).toEqual([])
  expect(fetched).toHaveBeenCalledTimes(1)
})

it('reports a job that had ended when it was started', async () => {
  answers = [job('done', 2)]
  await startJob('/imports', {})
  expect(await followed()).toEqual(['done 2', 'end'])
  expect(fetched).toHaveBeenCalledTimes(1)
})
