import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { Refused } from '../../commands/refused.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { TransientError } from '../client/backoff.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { namedStore, withDatabase, type NamedStore } from './store-options.ts'
import { errorText } from '../client/answer.ts'
import { serverOf, serverOption, serviceClient, unauthorized } from '../client/service-client.ts'
import { listenForStop } from '../terminal/stop-signals.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'

type Options = { readonly server?: string; readonly dataDir?: string; readonly databaseUrl?: string }

/** Exit code: there is no run with this id. */
const EXIT_NO_RUN = 3

export const deleteCommand = (): Command =>
  withUsageExit(new Command('delete'))
    .argument('<run-id>', 'id of the run; all characters are possible, . and .. too')
    .addOption(serverOption())
    .addOption(
      new Option('--data-dir <folder>', 'delete in this state directory instead').conflicts(['server', 'databaseUrl']),
    )
    .addOption(new Option('--database-url <url>', 'delete in this PostgreSQL database instead').conflicts('server'))
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token, of admin scope. Exit code 0: deleted; 2: the deletion failed; 3: there is no such run; 130: interrupted.',
    )
    .action((id: string, options: Options) => exitWith(() => runDelete(id, options)))

const runDelete = async (id: string, { dataDir, databaseUrl, server }: Options): Promise<number> => {
  // Only options name a store, never the environment: variables set for a server must not redirect a deletion.
  const store =
    dataDir !== undefined || databaseUrl !== undefined
      ? namedStore(
          { ...(dataDir === undefined ? {} : { dataDir }), ...(databaseUrl === undefined ? {} : { databaseUrl }) },
          {},
        )
      : null
  if (!store) return deleteOnServer(serverOf(server, process.env), id)
  return store.kind === 'sqlite' ? deleteInStore(store, id) : withDatabase(store, () => deleteInStore(store, id))
}

const deleteOnServer = async (server: string, id: string): Promise<number> => {
  const stop = listenForStop()
  const token = process.env['SERVICE_TOKEN']
  const client = serviceClient(server, token, { signal: stop.signal })
  try {
    // In the query string, because a client drops an id of dots from a path.
    return await client.request(
      `/runs?${new URLSearchParams({ run_id: id }).toString()}`,
      { method: 'DELETE', signal: stop.signal },
      async (response) => {
        const { status } = response
        if (status === 204) return deleted(id)
        const reason = await errorText(response)
        if (status === 404 && reason === 'run not found') return missing(id)
        throw status === 401 || status === 403
          ? unauthorized(client.url, status, reason, token)
          : new UserError(`${client.url} answers ${status}: ${reason}`)
      },
    )
  } catch (error) {
    const code = stop.code()
    if (code !== null) return code
    throw error instanceof TransientError ? new UserError(error.message, { cause: error }) : error
  } finally {
    stop.dispose()
  }
}

const deleteInStore = async (store: NamedStore, id: string): Promise<number> => {
  // A mistyped folder must not become a new, empty store.
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(`there is no ${store.file}`)
  // Loaded on demand: a request to a service needs no store modules.
  const { openService } = await import('../../runtime/open-service.ts')
  const service = await openService(store.kind === 'sqlite' ? { dataDir: store.dataDir } : { database: store }).catch(
    (error: unknown) => {
      throw asUserError(error)
    },
  )
  try {
    await service.commit.deleteRun(CLI, { run_id: id })
    return deleted(id)
  } catch (error) {
    if (error instanceof Refused && error.reason === 'not_found') return missing(id)
    throw error
  } finally {
    await service.close()
  }
}

const deleted = (id: string): number => {
  console.log(`deleted ${id}`)
  return 0
}

const missing = (id: string): number => {
  console.error(`${id}: run not found`)
  return EXIT_NO_RUN
}
