import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { VERSION } from './version.ts'

// Node strips types and compiles the code once, not at each start. This saves time and 50 MiB of memory. The cache is
// next to the modules, not in a world-writable folder. Without write access Node runs without it.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))

// Each command is loaded on demand, so that `healthcheck` does not load the server's modules.
const commands: ReadonlyArray<readonly [name: string, load: () => Promise<Command>]> = [
  ['serve', async () => (await import('./serve/serve.ts')).serveCommand()],
  ['import', async () => (await import('./import/import.ts')).importCommand()],
  ['export', async () => (await import('./export/export.ts')).exportCommand()],
  ['delete', async () => (await import('./store/delete.ts')).deleteCommand()],
  ['rebuild', async () => (await import('./store/rebuild.ts')).rebuildCommand()],
  ['verify', async () => (await import('./store/verify.ts')).verifyCommand()],
  ['migrate', async () => (await import('./store/migrate.ts')).migrateCommand()],
  ['migrate-schema', async () => (await import('./store/migrate-schema.ts')).migrateSchemaCommand()],
  ['audit', async () => (await import('./store/audit.ts')).auditCommand()],
  ['retention', async () => (await import('./store/retention.ts')).retentionCommand()],
  ['cache', async () => (await import('./cache/cache.ts')).cacheCommand()],
  ['healthcheck', async () => (await import('./serve/healthcheck.ts')).healthcheckCommand()],
]

const program = new Command('ers')
  .description('Evaluation Results: the service and its command line')
  .version(VERSION)
  .showHelpAfterError()
const commandName = process.argv[2]
const selected = commands.filter(([name]) => name === commandName)
for (const [, load] of selected.length > 0 ? selected : commands) program.addCommand(await load())

try {
  await program.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
