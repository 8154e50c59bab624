import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { TransientError } from '../client/backoff.ts'
import type { RetryOptions } from '../client/backoff.ts'
import type { ImportTarget, Outcome, RunBytes } from './target.ts'
import { uploadPath } from '../client/upload-run.ts'
import { bodyText, errorText, serviceClient, unauthorized } from '../client/service-client.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Smaller documents gain little from gzip. */
const GZIP_FROM_BYTES = 64 * 1024
/** After this many consecutive documents without a response, the service counts as unreachable. */
const MAX_CONSECUTIVE_UNREACHABLE = 20

const Created = z.object({ id: z.string() })
const compress = promisify(gzip)

/** Uploads documents to a service over HTTP. `plan` is the id of the plan that the runs follow. */
export const uploadTarget = (
  server: string,
  token: string | undefined,
  retry: RetryOptions,
  plan?: string,
): ImportTarget => {
  const client = serviceClient(server, token, retry)
  // Whether the service has accepted or refused a document. Until then, an unreachable server or a rejected credential
  // concerns all documents.
  let hasResponded = false
  let unreachable = 0

  const send = async (document: RunBytes): Promise<Outcome> => {
    const { bytes, gzip: gzipped } =
      document.gzip || document.bytes.length < GZIP_FROM_BYTES
        ? document
        : { bytes: await compress(document.bytes), gzip: true }
    const headers = { 'content-type': 'application/json', ...(gzipped ? { 'content-encoding': 'gzip' } : {}) }
    try {
      const outcome = await client.request(
        uploadPath(plan),
        { method: 'POST', headers, body: bytes as Uint8Array<ArrayBuffer> },
        readOutcome,
      )
      unreachable = 0
      if (outcome === null)
        throw new UserError(`${client.url} does not answer like an evaluation results service; check the address`)
      const refusal = outcome.kind === 'refused' ? Number(outcome.status) : null
      if ('status' in outcome && (refusal === 401 || (refusal === 403 && !hasResponded)))
        throw unauthorized(client.url, refusal, outcome.reason, token)
      hasResponded = true
      return outcome
    } catch (error) {
      if (!(error instanceof TransientError)) throw error
      if (error.status !== null) {
        unreachable = 0
        return { kind: 'failed', status: String(error.status), reason: error.message }
      }
      unreachable += 1
      if (!retry.signal.aborted && (!hasResponded || unreachable >= MAX_CONSECUTIVE_UNREACHABLE))
        throw new UserError(error.message)
      return { kind: 'failed', status: 'failed', reason: error.message }
    }
  }

  return { name: client.url, send, close: async () => {} }
}

/** Returns null for a success response of another site, such as a web page. */
const readOutcome = async (response: Response): Promise<Outcome | null> => {
  const { status } = response
  if (status === 200 || status === 201)
    return isCreated(await bodyText(response)) ? { kind: status === 201 ? 'imported' : 'already_there' } : null
  const reason = await errorText(response)
  return { kind: status >= 400 && status < 500 ? 'refused' : 'failed', status: String(status), reason }
}

const isCreated = (text: string): boolean => {
  try {
    return Created.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
