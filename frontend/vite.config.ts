import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// `npm run dev` shows the page as it is being written, with the data of a studio that runs beside it.
const STUDIO = process.env.TALKTREE_STUDIO ?? 'http://127.0.0.1:8321'
// The studio answers only its own origin.
const proxied = { target: STUDIO, changeOrigin: true, headers: { origin: STUDIO } }

// The page is served under a policy without inline script or style: nothing may be written into
// index.html, and no small file may become a data: address.
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
    // One browser for all files of a worker: making it takes longer than all tests together.
    isolate: false,
    pool: 'threads',
    maxWorkers: 2,
  },
})
