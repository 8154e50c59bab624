#!/usr/bin/env node
// The command `ers`. better-sqlite3 crashes Node 20, so only built-in modules may be loaded until Node 24 runs.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isProgramBuilt } from './bootstrap/builds.mjs'
import { ROOT, thisNode } from './bootstrap/node.mjs'
import { relay } from './bootstrap/relay.mjs'
import { UserError } from './bootstrap/user-error.mjs'

// The build starts in half the time; without a current one, the sources run. A package has no sources.
const sources = new URL('./ers.ts', import.meta.url)
const hasSources = existsSync(sources)
const program = hasSources && !isProgramBuilt(ROOT) ? sources : new URL('../dist/ers.js', import.meta.url)
const cli = fileURLToPath(program)

try {
  const node = thisNode()
  if (node === process.execPath) {
    process.argv[1] = cli
    await import(program.href)
  } else process.exit(await relay(node, [cli, ...process.argv.slice(2)]))
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exit(1)
}
