/** Builds what runs in the sandboxed page: each runtime one classic script, to be written inline. */

import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = dirname(fileURLToPath(import.meta.url))
const out = process.argv[2] ?? join(here, '../../src/talktree/web/static/frame')

for (const name of ['react', 'mermaid', 'plain']) {
  await build({
    root: here,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2022',
      reportCompressedSize: false,
      chunkSizeWarningLimit: 8000,
      lib: { entry: join(here, `${name}.ts`), formats: ['iife'], name: 'talktreeFrame', fileName: () => `${name}.js` },
    },
  })
}

// A script written into a page may end or change at these words, wherever they stand. They occur in
// strings and patterns only, where the escape means the same.
for (const file of readdirSync(out)) {
  const path = join(out, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/<(?=\/script|script|!--)/gi, '\\x3c'))
}
