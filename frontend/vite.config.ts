import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// `npm run dev` serves the page from source, with the data of a running studio.
const STUDIO = process.env.TALKTREE_STUDIO ?? 'http://127.0.0.1:8321'
// The studio answers only its own origin.
const proxied = { target: STUDIO, changeOrigin: true, headers: { origin: STUDIO } }

// The page is served under a policy without inline scripts and styles: nothing may be inlined into index.html, and
// small files must not become data: addresses.
export default defineConfig({
  plugins: [react()],
  server: { host: '127.0.0.1', proxy: { '/api': proxied, '/img': proxied, '/artifact': proxied } },
  build: {
    outDir: '../src/talktree/web/static',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome125', 'firefox128', 'safari18'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    reportCompressedSize: false,
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}', 'frame/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    // One browser for all files of a worker: starting it takes longer than all tests together.
    isolate: false,
    pool: 'threads',
    maxWorkers: 2,
  },
})
