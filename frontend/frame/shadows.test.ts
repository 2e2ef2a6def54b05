import { expect, test } from 'vitest'
import { undeclared } from './shadows'

test('the word that begins a closed tree is another one', () => {
  expect(undeclared('<template shadowrootmode=closed>')).toBe('<template shadowrootmode-=closed>')
  expect(undeclared('<template ShadowRootMode="open">x')).toBe('<template ShadowRootMode-="open">x')
  expect(undeclared('<p>sshadowrootmode')).toBe('<p>sshadowrootmode-')
})

test('it cannot be written in parts', () => {
  for (let cut = 1; cut < 14; cut++) {
    const both =
      undeclared('<template ' + 'shadowrootmode'.slice(0, cut)) + undeclared('shadowrootmode'.slice(cut) + '=closed>')
    expect(both.toLowerCase()).not.toContain('shadowrootmode')
  }
})

test('other text stays as it is', () => {
  expect(undeclared('<p>A shadow root has a mode.</p>')).toBe('<p>A shadow root has a mode.</p>')
  expect(undeclared('')).toBe('')
})
