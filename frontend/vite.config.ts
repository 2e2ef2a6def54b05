import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The page is served under a policy without inline script or style: nothing may be written into
// index.html, and no small file may become a data: address.
export default defineConfig({
  plugins: [react()],
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
