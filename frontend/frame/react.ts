/** Runs a React artifact: compiles it and draws its component. */

import * as React from 'react'
import * as ReactDOM from 'react-dom'
import * as ReactDOMClient from 'react-dom/client'
import * as jsxRuntime from 'react/jsx-runtime'
import { keepApart } from './apart'
import { ENTRY, compiled, componentOf, unknownImport } from './compile'
import { given, place } from './given'
import { keepSaying, sayError } from './said'

type Body = (
  require: (name: string) => unknown,
  exported: Record<string, unknown>,
  module: { exports: Record<string, unknown> },
  react: typeof React,
) => void

const everything = { ...ReactDOM, ...ReactDOMClient }
const MODULES = new Map<string, unknown>([
  ['react', { ...React, default: React, __esModule: true }],
  ['react-dom', { ...everything, default: everything, __esModule: true }],
  ['react-dom/client', { ...ReactDOMClient, default: ReactDOMClient, __esModule: true }],
  ['react/jsx-runtime', jsxRuntime],
])

function require(name: string): unknown {
  const found = MODULES.get(name)
  if (found) return found
  throw new Error(unknownImport(name))
}

class Guard extends React.Component<{ children: React.ReactNode }, { problem: Error | null }> {
  override state = { problem: null as Error | null }

  static getDerivedStateFromError(problem: Error): { problem: Error } {
    return { problem }
  }

  override componentDidCatch(problem: Error): void {
    sayError(problem)
  }

  override render(): React.ReactNode {
    return this.state.problem ? null : this.props.children
  }
}

function run(body: Body): void {
  const module = { exports: {} as Record<string, unknown> }
  const root = place()
  try {
    body(require, module.exports, module, React)
    const component = componentOf(module.exports) as React.ComponentType | undefined
    if (component) {
      const drawn = React.createElement(Guard, null, React.createElement(component))
      ReactDOMClient.createRoot(root).render(drawn)
    } else if (!root.hasChildNodes()) {
      // It may render later; only an empty page after this delay is an error.
      setTimeout(() => root.hasChildNodes() || sayError(new Error('This artifact exports no component.')), 200)
    }
  } catch (problem) {
    sayError(problem)
  }
}

function start(): void {
  keepApart()
  keepSaying()
  Object.assign(window, { React, ReactDOM: everything, [ENTRY]: run })
  try {
    const script = document.createElement('script')
    script.textContent = compiled(given().source)
    document.body.append(script)
  } catch (problem) {
    sayError(problem)
  }
}

start()
