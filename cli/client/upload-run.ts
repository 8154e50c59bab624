import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { TransientError, withRetries } from './backoff.ts'
import { errorText, objectText, readAnswer } from './answer.ts'
import { REQUEST_TIMEOUT_MS, type EngineServer } from './engine-server.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { UserError } from '../../maintenance/user-error.ts'

const PREFLIGHT_TIMEOUT_MS = 5_000

const compress = promisify(gzip)
const Created = z.object({ id: z.string(), hidden_cases: z.number().optional() })
const Meta = z.object({ supported_schema_versions: z.array(z.number()) })

/** The service did not store the run. The message is for people. */
export class ShareFailed extends Error {
  override readonly name = 'ShareFailed'
}

/** Whether an upload can work, as far as the service shows it before a run. */
export type Preflight =
  | { readonly kind: 'ready' }
  /** The service's answer does not show whether an upload would work: the run continues. */
  | { readonly kind: 'unclear'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Asks the service which versions of run documents it accepts (`GET /api/v1/meta`), within five seconds. Only a service
 * that says that it does not accept `schemaVersion` is refused.
 */
export const sharePreflight = async ({ client, signal }: EngineServer, schemaVersion: number): Promise<Preflight> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(PREFLIGHT_TIMEOUT_MS)])
  try {
    const text = await client.once('/meta', { signal: within }, async (response) => {
      if (response.status !== 200) throw new ShareFailed(`${client.url} answers ${response.status} to GET /api/v1/meta`)
      return objectText(response)
    })
    const meta = Meta.safeParse(parsedJson(text))
    if (!meta.success) return { kind: 'unclear', reason: `${client.url} does not say which run documents it accepts` }
    const versions = meta.data.supported_schema_versions
    if (versions.includes(schemaVersion)) return { kind: 'ready' }
    return {
      kind: 'refused',
      reason: `${client.url} accepts run documents of schema_version ${versions.join(', ') || 'none'}, but this program writes ${schemaVersion}`,
    }
  } catch (error) {
    if (error instanceof TransientError || error instanceof ShareFailed || error instanceof UserError)
      return { kind: 'unclear', reason: error.message }
    throw error
  }
}

/** A run on a service. `hiddenCases` have the key of another case of the run, which is shown in their place. */
export type Uploaded = { readonly url: string; readonly hiddenCases: number }

/**
 * Uploads a run and returns the address of its page on the service. `share_url` is not part of the upload: with it, a
 * second upload would be another document under the same id. The upload ends at the deadline of the service. Throws
 * `ShareFailed`, also for a run of an evaluation engine with a score outside 0..1. `plan` is the id of the plan that the
 * run follows.
 */
export const uploadRun = async (
  { client, token, signal: stop, deadline }: EngineServer,
  { share_url: _, ...run }: RunDocument,
  plan?: string,
): Promise<Uploaded> => {
  const fault = scoreFault(run)
  if (fault !== null) throw new ShareFailed(`the run cannot be uploaded: ${fault}`)
  const body = await compress(JSON.stringify(run))
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const timeout = deadline()
  const signal = AbortSignal.any([stop, timeout])
  try {
    const { hidden_cases: hiddenCases = 0 } = await withRetries(
      () =>
        client.once(uploadPath(plan), { method: 'POST', headers, body, signal }, async (response) => {
          const { status } = response
          if (status !== 200 && status !== 201)
            throw new ShareFailed(refusal(client.url, run.run_id, status, await errorText(response), token))
          return readAnswer(response, Created)
        }),
      { signal },
    )
    return { url: runPage(client.url, run.run_id), hiddenCases }
  } catch (error) {
    if (timeout.aborted)
      throw new ShareFailed(`${client.url} did not take the run within ${REQUEST_TIMEOUT_MS / 1000} s`)
    if (error instanceof TransientError || error instanceof UserError)
      throw new ShareFailed(`the run cannot be uploaded: ${error.message}`, { cause: error })
    throw error
  }
}

/** How engines write the digest of a suite. Importers write another one, and other tools have scores of other ranges. */
const SUITE_DIGEST = /^blake3:/

const isShare = (score: number): boolean => score >= 0 && score <= 1

/** The first score of a run of an engine that is not in 0..1, in words. Earlier versions took weights below 0. */
const scoreFault = ({ config_digest, cases }: Pick<RunDocument, 'config_digest' | 'cases'>): string | null => {
  if (!SUITE_DIGEST.test(config_digest)) return null
  for (const { cell, score, asserts } of cases) {
    const wrong = [score, ...asserts.map((result) => result.score)].find((found) => !isShare(found))
    if (wrong !== undefined)
      return `the test ${JSON.stringify(cell.test_id)} has the score ${wrong}, outside 0 to 1; run the suite again`
  }
  return null
}

/** The path of an upload; `plan` is the id of the plan that the run follows. */
export const uploadPath = (plan: string | undefined): string =>
  plan === undefined ? '/runs' : `/runs?plan=${encodeURIComponent(plan)}`

/** The address of the page of a run on the web app of a service, whose address has no slash at its end. */
const runPage = (serverUrl: string, runId: string): string => `${serverUrl}/runs/${encodeURIComponent(runId)}`

const refusal = (url: string, runId: string, status: number, reason: string, token: string | undefined): string => {
  if (status === 401 || status === 403)
    return `${url} rejects the upload: ${status} ${reason}${token === undefined ? ' (SERVICE_TOKEN is not set)' : ' (check SERVICE_TOKEN)'}`
  if (status === 409) return `${url} has another run under the id ${runId}: ${reason}`
  return `${url} rejects the upload: ${status} ${reason}`
}

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Another site: its answer is not JSON.
    return null
  }
}
