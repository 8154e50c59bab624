import { existsSync } from 'node:fs'
import { Option, type Command } from 'commander'
import { Refused } from '../../commands/refused.ts'
import { UserError } from '../../maintenance/user-error.ts'
import type { OpenOptions, OpenService } from '../../runtime/services.ts'
import { TransientError } from '../client/backoff.ts'
import { errorText, isAbsent, readAnswer } from '../client/answer.ts'
import { serverOf, serverOption, serviceClient, unauthorized } from '../client/service-client.ts'
import { namedStore, withDatabase } from './store-options.ts'
import { asUserError } from '../terminal/log-failure.ts'

/** The options that name a service, or a store that no server uses. */
export type AdminTarget = { readonly server?: string; readonly dataDir?: string; readonly databaseUrl?: string }

export const withAdminTarget = (command: Command): Command =>
  command
    .addOption(serverOption())
    .addOption(
      new Option('--data-dir <folder>', 'work on this state directory, which no server may use').conflicts([
        'server',
        'databaseUrl',
      ]),
    )
    .addOption(new Option('--database-url <url>', 'work on this PostgreSQL database').conflicts('server'))

/** One piece of work: the request to a service, and the same on an open store. */
type Work<T> = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** Reads the body of a 2xx response. Throws if it is of another shape. */
  readonly parse: (body: unknown) => T
  /** The longest body, if it may be longer than usual. */
  readonly maxBytes?: number
  /** The result if the service answers 404, which else is an error. */
  readonly absent?: T
  readonly onStore: (service: OpenService) => Promise<T>
}

/**
 * Does the work on the service or the store that the options name. Only options name a store, never the environment:
 * variables set for a server must not redirect it. Throws `UserError` with the reason of a refusal.
 */
export const onTarget = async <T>(
  { server, dataDir, databaseUrl }: AdminTarget,
  signal: AbortSignal,
  work: Work<T>,
): Promise<T> => {
  if (dataDir === undefined && databaseUrl === undefined) return onServer(serverOf(server, process.env), signal, work)
  const store = namedStore(
    { ...(dataDir === undefined ? {} : { dataDir }), ...(databaseUrl === undefined ? {} : { databaseUrl }) },
    {},
  )
  // A mistyped folder must not become a new, empty store.
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(`there is no ${store.file}`)
  return store.kind === 'sqlite'
    ? inStore({ dataDir: store.dataDir }, work)
    : withDatabase(store, () => inStore({ database: store }, work))
}

const inStore = async <T>(location: OpenOptions, { onStore }: Work<T>): Promise<T> => {
  // Loaded on demand: a request to a service needs no store modules.
  const { openService } = await import('../../runtime/open-service.ts')
  const service = await openService(location).catch((error: unknown) => {
    throw asUserError(error)
  })
  try {
    return await onStore(service)
  } catch (error) {
    throw error instanceof Refused ? new UserError(error.message, { cause: error }) : error
  } finally {
    await service.close()
  }
}

const onServer = async <T>(
  server: string,
  signal: AbortSignal,
  { method, path, body, parse, maxBytes, absent }: Work<T>,
): Promise<T> => {
  const token = process.env['SERVICE_TOKEN']
  const { url, request } = serviceClient(server, token, { signal })
  const read = async (response: Response): Promise<T> => {
    const { status } = response
    if (status === 401 || status === 403) throw unauthorized(url, status, await errorText(response), token)
    if (absent !== undefined && (await isAbsent(response))) return absent
    if (!response.ok) throw new UserError(`${url} answers ${status}: ${await errorText(response)}`)
    return readAnswer(response, { parse }, maxBytes)
  }
  const content =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  try {
    return await request(path, { method, signal, ...content }, read)
  } catch (error) {
    throw error instanceof TransientError ? new UserError(error.message, { cause: error }) : error
  }
}
