import { Command } from 'commander'
import { neededDatabase, addressOfDatabase, onStore, type NamedDatabase } from './store-options.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'

type Options = { readonly databaseUrl?: string; readonly appRole?: string }

export const migrateSchemaCommand = (): Command =>
  withUsageExit(new Command('migrate-schema'))
    .option('--database-url <url>', 'the database (default SERVICE_DATABASE_URL)')
    .option(
      '--app-role <role>',
      'then grant this role exactly the rights that the service needs; repeat it after an update, which may add tables',
    )
    .addHelpText('after', '\nExit code 0: done; 2: the migration could not start, or had to stop.')
    .action(({ databaseUrl, appRole }: Options) =>
      exitWith(async () => {
        const database = neededDatabase({ databaseUrl }, process.env)
        await onStore(database, () => migrateSchema(database, appRole ?? null))
        return 0
      }),
    )

const migrateSchema = async (database: NamedDatabase, appRole: string | null): Promise<void> => {
  const { migrateDatabase } = await import('../../storage/postgres/migrate.ts')
  const schema = await migrateDatabase(database.url, { now: Date.now })
  if (appRole !== null) await grantTo(database.url, appRole)
  console.log(
    `${addressOfDatabase(database)} is at schema ${schema}${appRole === null ? '' : `, ready for the role ${appRole}`}`,
  )
}

const grantTo = async (url: string, role: string): Promise<void> => {
  const { grantAppRole, NoAppRole } = await import('../../storage/postgres/app-role.ts')
  const { inTransaction, withSession } = await import('../../storage/postgres/session.ts')
  const { runAsync } = await import('../../storage/commit/steps.ts')
  try {
    await withSession(url, (session) => inTransaction(session, 'BEGIN', () => runAsync(grantAppRole(role), session)))
  } catch (error) {
    if (!(error instanceof NoAppRole)) throw error
    throw new UserError(error.message, { cause: error })
  }
}
