import { expect, it } from 'vitest'
import { clamped, heard, LEAST_HEIGHT, MOST_HEIGHT } from './messages'

it('hears the three things an artifact may say, and nothing that comes with them', () => {
  expect(heard({ talktree: 'ready', more: 1 })).toEqual({ talktree: 'ready' })
  expect(heard({ talktree: 'height', value: 200.4 })).toEqual({ talktree: 'height', value: 201 })
  expect(heard({ talktree: 'error', text: 'x'.repeat(9000) })).toEqual({ talktree: 'error', text: 'x'.repeat(2000) })
})

it('hears nothing else', () => {
  const inherited = Object.create({ talktree: 'ready' }) as object
  for (const said of [
    null,
    undefined,
    1,
    'ready',
    [],
    {},
    inherited,
    { talktree: 'go', to: '/' },
    { talktree: 'height' },
    { talktree: 'height', value: '9' },
    { talktree: 'height', value: Number.NaN },
    { talktree: 'height', value: Infinity },
    { talktree: 'error', text: { toString: () => 'x' } },
  ]) {
    expect(heard(said)).toBeNull()
  }
})

it('keeps heights within bounds', () => {
  expect([clamped(-5), clamped(1e9)]).toEqual([LEAST_HEIGHT, MOST_HEIGHT])
})
