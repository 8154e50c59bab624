import * as z from 'zod'
import { isDotName } from '../../domain/run/dot-names.ts'
import { TransientError, withRetries } from './backoff.ts'
import { MAX_DOCUMENT_BYTES, errorText, isAbsent, objectBytes, readAnswer } from './answer.ts'
import {
  REQUEST_TIMEOUT_MS,
  engineServer,
  serverUrlOf,
  type EngineServer,
  type ServerUrlOptions,
} from './engine-server.ts'
import { MAX_MERGED_RUNS, compositeRun } from '../../engine/store/composite.ts'
import { parseRun } from '../../engine/store/run-file.ts'
import type { BaselineServer, SuiteName } from '../../engine/store/baseline.ts'
import { HarnessError } from '../../engine/json.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { UserError } from '../../maintenance/user-error.ts'

const Suites = z.object({
  suites: z.array(z.object({ suite: z.string(), baseline_run_id: z.string().nullable() })),
})
const Runs = z.object({ runs: z.array(z.object({ id: z.string() })) })

/** Reads baselines of a service through the list of suites, the list of runs, and the export of documents. */
const baselineServer = (server: EngineServer): BaselineServer => ({
  run: (id) => exportedRun(server, id),
  pinned: async (suite) => {
    const id = await pinnedRun(server, suite)
    return id === null ? null : exportedRun(server, id)
  },
  onBranch: async ({ project, suite }, branch, exclude) => {
    // One more than is merged, because the excluded run may be among them.
    const query = new URLSearchParams({ project, suite, branch, limit: String(MAX_MERGED_RUNS + 1) })
    const { runs } = (await readJson(server, Runs, `/runs?${query.toString()}`)) ?? { runs: [] }
    const documents: RunDocument[] = []
    for (const { id } of runs.filter((run) => run.id !== exclude).slice(0, MAX_MERGED_RUNS)) {
      const run = await exportedRun(server, id)
      if (run !== null) documents.push(run)
    }
    return documents.length === 0 ? null : compositeRun(branch, documents as [RunDocument, ...RunDocument[]])
  },
})

/** The baselines of the service that options or SERVICE_SERVER_URL name; null without one. Throws `UsageError`. */
export const configuredBaselineServer = (
  options: ServerUrlOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): BaselineServer | null => {
  const url = serverUrlOf(options, env)
  return url === undefined ? null : baselineServer(engineServer(url, env, signal))
}

/** The id of the pinned run of a suite; null if it has none or is unknown. Throws `HarnessError`. */
export const pinnedRun = async (server: EngineServer, { project, suite }: SuiteName): Promise<string | null> => {
  // Clients remove such a name from an address, so no service lists its suites.
  if (isDotName(project)) return null
  const found = await readJson(server, Suites, `/projects/${encodeURIComponent(project)}/suites`, MAX_DOCUMENT_BYTES)
  return found?.suites.find((item) => item.suite === suite)?.baseline_run_id ?? null
}

const exportedRun = async (server: EngineServer, id: string): Promise<RunDocument | null> => {
  if (isDotName(id)) return null
  const bytes = await readFound(server, `/runs/${encodeURIComponent(id)}/export`, exportedDocument)
  return bytes === null ? null : parseRun(bytes)
}

/**
 * Sends a request of a baseline command or of a comparison. Throws `HarnessError` if there is no whole response before
 * the deadline of the service.
 */
export const send = <T>(server: EngineServer, path: string, init: RequestInit, answer: Answer<T>): Promise<T> =>
  withDeadline(server, (signal) => withRetries(() => server.client.once(path, { ...init, signal }, answer), { signal }))

/** Like `send`, without another attempt. */
export const sendOnce = <T>(server: EngineServer, path: string, init: RequestInit, answer: Answer<T>): Promise<T> =>
  withDeadline(server, (signal) => server.client.once(path, { ...init, signal }, answer))

type Answer<T> = (response: Response) => Promise<T>

const withDeadline = async <T>(
  { client, signal: stop, deadline }: EngineServer,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const timeout = deadline()
  try {
    return await work(AbortSignal.any([stop, timeout]))
  } catch (error) {
    if (error instanceof TransientError && timeout.aborted)
      throw new HarnessError(`${client.url} did not answer within ${REQUEST_TIMEOUT_MS / 1000} s`, { cause: error })
    if (error instanceof TransientError || error instanceof UserError)
      throw new HarnessError(error.message, { cause: error })
    throw error
  }
}

/** The error for a response that is neither a success nor 404. */
export const unexpected = async ({ client, token }: EngineServer, response: Response): Promise<HarnessError> => {
  const hint =
    response.status !== 401 && response.status !== 403
      ? ''
      : token === undefined
        ? ' (SERVICE_TOKEN is not set)'
        : ' (check SERVICE_TOKEN)'
  return new HarnessError(`${client.url} answers ${response.status}: ${await errorText(response)}${hint}`)
}

/** What `answer` reads of a successful response; null for 404. Throws what `errorFor` makes of any other response. */
export const readFound = <T>(
  server: EngineServer,
  path: string,
  answer: (response: Response) => Promise<T>,
  errorFor?: FaultOf,
): Promise<T | null> => send(server, path, {}, foundIn(server, answer, errorFor))

/** Reads a response as `readFound` does. */
export const foundIn =
  <T>(server: EngineServer, answer: Answer<T>, errorFor: FaultOf = unexpected): Answer<T | null> =>
  async (response) => {
    if (await isAbsent(response)) return null
    if (response.status !== 200) throw await errorFor(server, response)
    return answer(response)
  }

type FaultOf = (server: EngineServer, response: Response) => Promise<Error>

/** Reads a JSON document of the service; null for 404. Throws `HarnessError`. */
export const readJson = <T>(
  server: EngineServer,
  schema: z.ZodType<T>,
  path: string,
  maxBytes?: number,
): Promise<T | null> => readFound(server, path, (response) => readAnswer(response, schema, maxBytes))

/** The bytes of a run document that the service exports. */
export const exportedDocument = (response: Response): Promise<Buffer> => objectBytes(response, MAX_DOCUMENT_BYTES)
