import { Command } from 'commander'
import { counted } from '../../domain/plain/counted.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { listTargets } from '../../queries/webhooks/webhooks.ts'
import { openStore } from './open-store.ts'
import { namedStore, onStore, withStore, type StoreSelection, type NamedStore } from './store-options.ts'

/** Deletes every webhook of a store, whose secrets nothing can read without the key that encrypted them. */
export const deleteWebhooksCommand = (): Command =>
  withStore(withUsageExit(new Command('delete-webhooks')))
    .addHelpText(
      'after',
      '\nFor a lost SERVICE_SECRET_KEY, without which the server does not start while there are webhooks. Exit code 0: deleted, or there were none; 2: the deletion failed.',
    )
    .action((given: StoreSelection) =>
      exitWith(() => {
        const store = namedStore(given, process.env)
        return onStore(store, () => deleteIn(store))
      }),
    )

const deleteIn = async (store: NamedStore): Promise<number> => {
  const service = await openStore(store)
  try {
    const webhooks = await service.reader.read(listTargets)
    for (const { webhook_id } of webhooks) await service.commit.deleteWebhook(CLI, { webhook_id })
    console.log(`deleted ${counted(webhooks.length, 'webhook')}`)
    return 0
  } finally {
    await service.close()
  }
}
