#!/usr/bin/env node
// The command `ers`. better-sqlite3 crashes Node 20, so only built-in modules may be loaded until Node 24 runs.
import { fileURLToPath } from 'node:url'
import { UserError, relay, thisNode } from './bootstrap.mjs'

const cli = fileURLToPath(new URL('./ers.ts', import.meta.url))

try {
  const node = thisNode()
  if (node === process.execPath) {
    process.argv[1] = cli
    await import('./ers.ts')
  } else process.exit(await relay(node, [cli, ...process.argv.slice(2)]))
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exit(1)
}
