import { expect, it } from 'vitest'
import { quoted, repairedName } from './FailedSources'

it.each([
  ['/a/session.jsonl', '/a/session.repaired.jsonl'],
  ['/a/session.jsonl.gz', '/a/session.repaired.jsonl.gz'],
  ['/a.b/folder', '/a.b/folder.repaired'],
  ['/a/.hidden', '/a/.hidden.repaired'],
  ['/a/.hidden.json', '/a/.hidden.repaired.json'],
])('%s is repaired to %s', (path, repaired) => {
  expect(repairedName(path)).toBe(repaired)
})

it('is one word of a shell', () => {
  expect(quoted("it's $HOME")).toBe(`'it'\\''s $HOME'`)
})
