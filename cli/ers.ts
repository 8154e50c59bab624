import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { UserError, withUsageExit } from '../maintenance/user-error.ts'
import { preloadThread } from '../runtime/threads/preload.ts'
import { COMMANDS } from './commands.ts'
import { VERSION } from './version.ts'

// Node strips types and compiles the code once, not at each start. This saves time and 50 MiB of memory. The cache is
// next to the modules, not in a world-writable folder. Without write access Node runs without it.
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
enableCompileCache(compileCache)
// A thread finds the folder only through this variable.
process.env['NODE_COMPILE_CACHE'] ??= compileCache

// Where the reader of stderr is gone or its disk is full, the work goes on without messages.
process.stderr.on('error', () => {})

const TERMS = new Map(COMMANDS.map(({ name, term }) => [name, term]))
const program = withUsageExit(new Command('ers'))
  .description('Evaluation Results: the service and its command line')
  .version(VERSION)
  .showHelpAfterError('ers --help lists the commands')
  // The list of commands loads none of them.
  .configureHelp({ subcommandTerm: (command) => TERMS.get(command.name()) ?? `${command.name()} [command]` })
const [, , first, second] = process.argv
const commandName = first === 'help' ? second : first
const selected = COMMANDS.find(({ name }) => name === commandName)
if (selected?.createsState) process.umask(0o077)
if (selected?.name === 'serve') preloadThread('writer')
if (selected) program.addCommand((await selected.load()).description(selected.description))
else for (const { name, description } of COMMANDS) program.addCommand(new Command(name).description(description))

try {
  await program.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = error instanceof UserError ? 2 : 1
}
