import { expect, it } from 'vitest'

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true })

it('nothing but the host makes anything modal', () => {
  const callers = Object.entries(sources).filter(
    ([path, text]) => !path.includes('.test.') && text.includes('showModal('),
  )
  expect(callers.map(([path]) => path)).toEqual(['./OverlayHost.tsx'])
})
