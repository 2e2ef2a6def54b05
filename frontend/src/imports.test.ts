// The rule for imports: app → features → data → ui → lib, and no cycles among the features.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = import.meta.dirname
const LAYERS = ['lib', 'ui', 'data', 'features', 'app', 'main.tsx']

interface Import {
  from: string
  to: string
}

function imports(): Import[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  )
  return files.flatMap((from) =>
    [...readFileSync(join(ROOT, from), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => ({
      from: from.split(sep).join('/'),
      to: relative(ROOT, normalize(join(ROOT, dirname(from), match[1] as string)))
        .split(sep)
        .join('/'),
    })),
  )
}

const rank = (path: string): number => LAYERS.indexOf(path.split('/')[0] as string)
const feature = (path: string): string | null => /^features\/([^/]+)\//.exec(path)?.[1] ?? null
const inside = imports().filter(({ to }) => !to.startsWith('..'))

describe('imports', () => {
  it('finds the files of every layer', () => {
    expect(new Set(inside.map(({ from }) => rank(from)))).toEqual(new Set(LAYERS.keys()))
  })

  it('go from upper layers to lower ones', () => {
    expect(inside.filter(({ from, to }) => rank(to) < 0 || rank(to) > rank(from))).toEqual([])
  })

  it('never go in a circle among the features', () => {
    const below = new Map<string, Set<string>>()
    for (const { from, to } of inside) {
      const [one, other] = [feature(from), feature(to)]
      if (one && other && one !== other) below.set(one, (below.get(one) ?? new Set()).add(other))
    }
    const left = new Set([...below.keys(), ...[...below.values()].flatMap((each) => [...each])])
    for (let free = ends(left, below); free.length > 0; free = ends(left, below))
      for (const one of free) left.delete(one)
    expect([...left]).toEqual([])
  })

  it('of what all features share go to no feature', () => {
    expect(
      inside.filter(({ from, to }) => feature(from) === 'common' && feature(to) && feature(to) !== 'common'),
    ).toEqual([])
  })
})

/** Returns the features that import none of the remaining ones. */
function ends(left: ReadonlySet<string>, below: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...left].filter((one) => ![...(below.get(one) ?? [])].some((other) => left.has(other)))
}
