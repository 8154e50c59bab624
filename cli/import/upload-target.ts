import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { TransientError } from '../client/backoff.ts'
import type { Patience } from '../client/backoff.ts'
import type { ImportTarget, Outcome, RunBytes } from './target.ts'
import { bodyText, errorText, serviceClient, unauthorized } from '../client/service-client.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Below this, a request hardly gets faster by gzip. */
const GZIP_FROM_BYTES = 64 * 1024
/** So many documents in a row without an answer: the service is gone, not the documents bad. */
const UNREACHABLE_IN_A_ROW = 20

const Created = z.object({ id: z.string() })
const compress = promisify(gzip)

/** Documents go to a service over HTTP. */
export const uploadTarget = (server: string, token: string | undefined, patience: Patience): ImportTarget => {
  const client = serviceClient(server, token, patience)
  // Until the service has taken or refused one document, an unreachable server or a weak credential is about all of
  // them.
  let proven = false
  let unreachable = 0

  const send = async (document: RunBytes): Promise<Outcome> => {
    const { bytes, gzip: gzipped } =
      document.gzip || document.bytes.length < GZIP_FROM_BYTES
        ? document
        : { bytes: await compress(document.bytes), gzip: true }
    const headers = { 'content-type': 'application/json', ...(gzipped ? { 'content-encoding': 'gzip' } : {}) }
    try {
      const answer = await client.request(
        '/runs',
        { method: 'POST', headers, body: bytes as Uint8Array<ArrayBuffer> },
        readAnswer,
      )
      unreachable = 0
      if (answer === null)
        throw new UserError(`${client.url} does not answer like an evaluation results service; check the address`)
      const refusal = answer.kind === 'refused' ? Number(answer.status) : null
      if ('status' in answer && (refusal === 401 || (refusal === 403 && !proven)))
        throw unauthorized(client.url, refusal, answer.reason, token)
      proven = true
      return answer
    } catch (error) {
      if (!(error instanceof TransientError)) throw error
      if (error.status !== null) {
        unreachable = 0
        return { kind: 'failed', status: String(error.status), reason: error.message }
      }
      unreachable += 1
      if (!patience.signal.aborted && (!proven || unreachable >= UNREACHABLE_IN_A_ROW))
        throw new UserError(error.message)
      return { kind: 'failed', status: 'failed', reason: error.message }
    }
  }

  return { name: client.url, send, close: async () => {} }
}

/** Null for a success in words that are not the service's: a web page, say, because the address is another site's. */
const readAnswer = async (response: Response): Promise<Outcome | null> => {
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
