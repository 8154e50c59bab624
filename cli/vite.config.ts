import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

// The program as few files instead of a thousand, ours and those of packages: a start takes two thirds of its CPU time.
// They stay one folder below the checkout, as the sources are, so that all find the migrations and the web app.

/** The program, and what runs as a thread of it. */
const ENTRIES = {
  ers: 'cli/ers.ts',
  'writer-thread': 'runtime/threads/writer-thread.ts',
  'reader-thread': 'runtime/threads/reader-thread.ts',
  'preparer-thread': 'runtime/threads/preparer-thread.ts',
  'cache-thread': 'runtime/threads/cache-thread.ts',
  'directory-thread': 'runtime/threads/directory-thread.ts',
}

/** Packages that load a library of their own by its place. */
const NATIVE = ['better-sqlite3', '@node-rs/argon2']

/**
 * Removes what earlier builds left, last, since a server may be running that starts threads; then writes `complete`,
 * which tells that nothing is missing.
 */
let began = 0
const complete: Plugin = {
  name: 'complete',
  buildStart: () => void (began = Date.now()),
  writeBundle: ({ dir = '' }, bundle) => {
    for (const name of readdirSync(dir)) if (!(name in bundle)) rmSync(join(dir, name), { recursive: true })
    writeFileSync(join(dir, 'complete'), '')
    // What changed while it was built may not be in it.
    utimesSync(join(dir, 'complete'), began / 1000, began / 1000)
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [complete],
  publicDir: false,
  // As Node resolves them.
  resolve: { mainFields: ['main', 'module'] },
  ssr: { noExternal: true, external: NATIVE, resolve: { conditions: ['node', 'module-sync'] } },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node24',
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: ENTRIES,
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      // Some modules are loaded when they are wanted in one place, and at once in another.
      checks: { ineffectiveDynamicImport: false },
    },
  },
})
