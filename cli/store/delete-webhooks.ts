import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { counted } from '../../domain/plain/counted.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { listTargets } from '../../queries/webhooks/webhooks.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { namedStore, withDatabase, withStore, type GivenStore, type NamedStore } from './store-options.ts'

/** Deletes every webhook of a store, whose secrets nothing can read without the key that encrypted them. */
export const deleteWebhooksCommand = (): Command =>
  withStore(withUsageExit(new Command('delete-webhooks')))
    .addHelpText(
      'after',
      '\nFor a lost SERVICE_SECRET_KEY, without which the server does not start while there are webhooks. Exit code 0: deleted, or there were none; 2: the deletion failed.',
    )
    .action((given: GivenStore) =>
      exitWith(() => {
        const store = namedStore(given, process.env)
        return store.kind === 'sqlite' ? deleteIn(store) : withDatabase(store, () => deleteIn(store))
      }),
    )

const deleteIn = async (store: NamedStore): Promise<number> => {
  // A mistyped folder must not become a new, empty store.
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(`there is no ${store.file}`)
  // Loaded on demand: the help needs no store modules.
  const { openService } = await import('../../runtime/open-service.ts')
  const service = await openService(store.kind === 'sqlite' ? { dataDir: store.dataDir } : { database: store }).catch(
    (error: unknown) => {
      throw asUserError(error)
    },
  )
  try {
    const webhooks = await service.reader.read(listTargets)
    for (const { webhook_id } of webhooks) await service.commit.deleteWebhook(CLI, { webhook_id })
    console.log(`deleted ${counted(webhooks.length, 'webhook')}`)
    return 0
  } finally {
    await service.close()
  }
}
