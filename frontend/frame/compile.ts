/** Compiles a component's source, with JSX and types, to a script that the page can run. */

import { transform } from 'sucrase'

/** The function that compiled code passes itself to. */
export const ENTRY = '__talktree_run'

/** Names to look for if nothing is exported. */
const LIKELY = ['App', 'Component', 'Main', 'Artifact', 'Default']

/** Returns a classic script that calls the entry with a module's body; nothing is evaluated by name. */
export function compiled(source: string): string {
  const { code } = transform(source, {
    transforms: ['typescript', 'jsx', 'imports'],
    jsxRuntime: 'classic',
    production: true,
  })
  const guesses = LIKELY.map((name) => `if(!exports.default&&typeof ${name}==="function")exports.default=${name};`)
  return `window[${JSON.stringify(ENTRY)}](function(require,exports,module,React){${code}\n;${guesses.join('')}\n});`
}

/** Returns the component of a module: its default export, or the only function it exports. */
export function componentOf(exported: Record<string, unknown>): unknown {
  if (exported.default) return exported.default
  const functions = Object.values(exported).filter((value) => typeof value === 'function')
  return functions.length === 1 ? functions[0] : undefined
}

/** Explains why an import is not available. */
export function unknownImport(name: string): string {
  return `This artifact needs "${name}", which is not here. Artifacts run without network; react and react-dom are there.`
}
