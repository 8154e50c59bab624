import { Option } from 'commander'
import { serviceClient, type ServiceClient } from './service-client.ts'
import { UsageError } from '../../engine/json.ts'
import { createHttpClient } from '../suite/http-client.ts'
import { fetchOver } from '../suite/http-fetch.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** The longest time of an upload, or of one read of a baseline, with its retries. */
export const REQUEST_TIMEOUT_MS = 60_000

/** The service of a command that evaluates or reads runs. */
export type EngineServer = {
  readonly client: ServiceClient
  readonly token: string | undefined
  readonly signal: AbortSignal
  /** A signal for one request with its retries, which is aborted after `REQUEST_TIMEOUT_MS`. */
  readonly deadline: () => AbortSignal
}

/** The options that name the service: `--server-url`, and `--server` as other commands spell it. */
export const serverUrlOptions = (): readonly Option[] => [
  new Option('--server-url <url>', 'the service that stores results (default SERVICE_SERVER_URL)'),
  new Option('--server <url>').hideHelp().conflicts('serverUrl'),
]

export type ServerUrlOptions = { readonly serverUrl?: string; readonly server?: string }

/** The address that options or SERVICE_SERVER_URL name; undefined without one. An empty value counts as unset. */
export const serverUrlOf = ({ serverUrl, server }: ServerUrlOptions, env: NodeJS.ProcessEnv): string | undefined =>
  serverUrl || server || env['SERVICE_SERVER_URL'] || undefined

/**
 * The service at `url`, with SERVICE_TOKEN as bearer token, through the proxy of the environment. Throws `UsageError` if
 * the address is not one.
 */
export const engineServer = (url: string, env: NodeJS.ProcessEnv, signal: AbortSignal): EngineServer => {
  const token = env['SERVICE_TOKEN'] || undefined
  const send = fetchOver(createHttpClient(env))
  try {
    return {
      client: serviceClient(url, token, { signal }, send),
      token,
      signal,
      deadline: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }
  } catch (error) {
    if (error instanceof UserError) throw new UsageError(error.message)
    throw error
  }
}

/** The service that options or SERVICE_SERVER_URL name. Throws `UsageError` without one. */
export const requiredServer = (
  options: ServerUrlOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): EngineServer => {
  const url = serverUrlOf(options, env)
  if (url === undefined) throw new UsageError('no service is named: give --server-url or SERVICE_SERVER_URL')
  return engineServer(url, env, signal)
}
