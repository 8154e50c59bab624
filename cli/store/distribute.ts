import { Command } from 'commander'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { addressOfDatabase, neededDatabase, onStore } from './store-options.ts'

type Options = {
  readonly databaseUrl?: string
  readonly shards: string
  readonly undo?: boolean
  readonly dryRun?: boolean
}

/** The most that Citus allows. */
const MAX_SHARDS = 64_000

export const distributeCommand = (): Command =>
  withUsageExit(new Command('distribute'))
    .option('--database-url <url>', 'the coordinator of the cluster (default SERVICE_DATABASE_URL)')
    .option('--shards <number>', 'number of pieces of each table', '32')
    .option('--undo', 'make the tables local again, for example before a migration that changes one of them')
    .option('--dry-run', 'only print the statements')
    .addHelpText(
      'after',
      '\nOnly the tables of documents and cases are distributed. Run it as the owner of the tables; writes wait meanwhile.\nExit code 0: done; 2: it could not start, or had to stop. Repeat it after an interruption.',
    )
    .action(({ databaseUrl, shards, undo = false, dryRun = false }: Options) =>
      exitWith(async () => {
        const number = Number(shards)
        if (!/^\d+$/.test(shards) || number < 1 || number > MAX_SHARDS)
          throw new UserError(`--shards must be a whole number from 1 to ${MAX_SHARDS}`)
        const database = neededDatabase({ databaseUrl }, process.env)
        const { distributeTables, NoCitus } = await import('../../storage/postgres/distribute.ts')
        try {
          const statements = await onStore(database, () =>
            distributeTables(database.url, { shards: number, undo, dryRun }),
          )
          if (dryRun) for (const text of statements) console.log(`${text};`)
          else
            console.log(
              `${addressOfDatabase(database)}: ${statements.length === 0 ? 'nothing to do' : `${undo ? 'local' : 'distributed'} now`}`,
            )
        } catch (error) {
          if (!(error instanceof NoCitus)) throw error
          throw new UserError(
            `${addressOfDatabase(database)} has no extension citus: a superuser creates it with CREATE EXTENSION citus`,
            { cause: error },
          )
        }
        return 0
      }),
    )
