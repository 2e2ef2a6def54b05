import { describe, expect, it } from 'vitest'
import { ENTRY, compiled, componentOf, unknownImport } from './compile'
import { settings } from './mermaidSettings'

type Body = (
  require: (name: string) => unknown,
  exports: Record<string, unknown>,
  module: object,
  react: object,
) => void

/** Runs compiled code as the page does, with an entry and modules of the test. */
function run(source: string, modules: Record<string, unknown> = {}): Record<string, unknown> {
  const exports: Record<string, unknown> = {}
  const react = {
    createElement: (type: string, props: object | null, ...children: unknown[]) => ({ type, props, children }),
  }
  const require = (name: string): unknown => {
    if (name === 'react') return { ...react, useState: (value: unknown) => [value, () => undefined] }
    if (name in modules) return modules[name]
    throw new Error(unknownImport(name))
  }
  const window = { [ENTRY]: (body: Body) => body(require, exports, { exports }, react) }
  new Function('window', compiled(source))(window)
  return exports
}

describe('compiling an artifact', () => {
  it('understands JSX, types and imports', () => {
    const exports = run(`
      import { useState } from 'react'
      interface Props { name: string }
      export default function Hello({ name }: Props) { const [n] = useState<number>(3); return <b id="x">{name}{n}</b> }`)
    const component = componentOf(exports) as (props: object) => { type: string; children: unknown[] }
    expect(component({ name: 'you' })).toMatchObject({ type: 'b', children: ['you', 3] })
  })

  it('finds a component that is not exported, or the only export', () => {
    expect(componentOf(run('function App() { return <i/> }'))).toBeTypeOf('function')
    expect(componentOf(run('export const Card = () => <i/>'))).toBeTypeOf('function')
    expect(componentOf(run('export const a = () => 1\nexport const b = () => 2'))).toBeUndefined()
  })

  it('says which import is missing', () => {
    expect(() => run("import { Home } from 'lucide-react'\nexport default () => <Home/>")).toThrow(
      /"lucide-react", which is not here/,
    )
  })

  it('refuses what is no code', () => {
    expect(() => compiled('export default <<<')).toThrow()
  })
})

it('draws diagrams without HTML, and lets no directive change that', () => {
  const { securityLevel, htmlLabels, secure = [] } = settings(false)
  expect([securityLevel, htmlLabels]).toEqual(['strict', false])
  for (const key of ['securityLevel', 'htmlLabels', 'flowchart', 'themeCSS', 'secure', 'dompurifyConfig'])
    expect(secure).toContain(key)
})
