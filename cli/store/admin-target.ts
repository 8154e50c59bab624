import { Option, type Command } from 'commander'
import { Refused } from '../../commands/refused.ts'
import { UserError } from '../../maintenance/user-error.ts'
import type { OpenService } from '../../runtime/services.ts'
import { isAbsent, readAnswer } from '../client/answer.ts'
import { asFinal, readRefusal, serverOf, serverOption, serviceClient } from '../client/service-client.ts'
import { openStore } from './open-store.ts'
import { namedStore, onStore } from './store-options.ts'

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
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Reads the body of a 2xx response, undefined without one. Throws if it is of another shape. */
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
  const store = namedStore({ dataDir, databaseUrl }, {})
  return onStore(store, async () => {
    const service = await openStore(store)
    try {
      return await work.onStore(service)
    } catch (error) {
      throw error instanceof Refused ? new UserError(error.message, { cause: error }) : error
    } finally {
      await service.close()
    }
  })
}

/** Does the work on a service. Throws `UserError`. */
export const onServer = async <T>(
  server: string,
  signal: AbortSignal,
  { method, path, body, parse, maxBytes, absent }: Omit<Work<T>, 'onStore'>,
): Promise<T> => {
  const token = process.env['SERVICE_TOKEN']
  const { url, request } = serviceClient(server, token, { signal })
  const read = async (response: Response): Promise<T> => {
    if (absent !== undefined && (await isAbsent(response))) return absent
    if (!response.ok) throw await readRefusal(url, response, token)
    return response.status === 204 ? parse(undefined) : readAnswer(response, { parse }, maxBytes)
  }
  const content =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  try {
    return await request(path, { method, signal, ...content }, read)
  } catch (error) {
    throw asFinal(error)
  }
}
