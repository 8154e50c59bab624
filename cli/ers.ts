import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { COMMANDS } from './commands.ts'

// Node strips types and compiles the code once, not at each start. This saves time and 50 MiB of memory. The cache is
// next to the modules, not in a world-writable folder. Without write access Node runs without it.
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
enableCompileCache(compileCache)
// A thread finds the folder only through this variable.
process.env['NODE_COMPILE_CACHE'] ??= compileCache

// Where the reader of stderr is gone or its disk is full, the work goes on without messages.
process.stderr.on('error', () => {})

const [, , first, second] = process.argv
const commandName = first === 'help' ? second : first
const selected = COMMANDS.find(({ name }) => name === commandName)
if (selected?.createsState) process.umask(0o077)
// Loads nothing but the service, which starts in half the time.
if (selected && first === 'serve') await (await import('./serve/entry.ts')).runServe(selected.description)
else await (await import('./program.ts')).runProgram(selected)
