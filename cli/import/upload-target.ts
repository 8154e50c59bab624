import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { TransientError, type RetryOptions } from '../client/backoff.ts'
import { importedIn } from '../../queries/imports/imported-from.ts'
import type { EvidenceTarget, ImportTarget, Outcome, RunBytes, Unsent } from './target.ts'
import { PartRefused, sendParts, type Asked } from '../evidence/send-parts.ts'
import { uploadPath } from '../client/upload-run.ts'
import { MAX_DOCUMENT_BYTES, errorText, isAbsent, objectBytes, readAnswer } from '../client/answer.ts'
import { asFinal, readRefusal, serviceClient, unauthorized, type ServiceClient } from '../client/service-client.ts'
import { NoReceipt, saveReceipt } from '../proof/save-receipt.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Smaller documents gain little from gzip. */
const GZIP_FROM_BYTES = 64 * 1024
/** After this many consecutive documents without a response, the service counts as unreachable. */
const MAX_CONSECUTIVE_UNREACHABLE = 20

const Created = z.object({ id: z.string(), hidden_cases: z.number().optional() })
const Config = z.looseObject({ run_id: z.string() })
const compress = promisify(gzip)

type UploadOptions = RetryOptions & {
  readonly plan?: string | undefined
  /** The folder in which the receipt of each run is saved; null if none are. */
  readonly receipts?: string | null
}

/** Uploads documents to a service over HTTP. */
export const uploadTarget = (
  server: string,
  token: string | undefined,
  { plan, receipts = null, ...retry }: UploadOptions,
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
      const refusal = outcome.kind === 'refused' ? Number(outcome.status) : null
      if ('status' in outcome && (refusal === 401 || (refusal === 403 && !hasResponded)))
        throw unauthorized(client.url, refusal, outcome.reason, token)
      hasResponded = true
      if ('id' in outcome && receipts !== null)
        return (await receiptProblem(client, outcome.id, receipts, retry.signal)) ?? outcome
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

  return {
    name: client.url,
    send,
    ...questionsTo(client, token),
    ...evidenceTo(client, { token, signal: retry.signal }),
    close: async () => {},
  }
}

const Evidence = z.object({ evidence: z.array(z.unknown()) })

const evidenceTo = (client: ServiceClient, asked: Asked): Pick<ImportTarget, 'evidence' | 'hasEvidence'> => {
  const path = (run_id: string): string => `/runs/${encodeURIComponent(run_id)}/evidence`
  /** Why work that the service refused, or did not answer, is not done; null if it is. What no run can pass is thrown. */
  const problemOf = async (work: () => Promise<unknown>): Promise<Unsent | null> => {
    try {
      await work()
      return null
    } catch (error) {
      if (error instanceof TransientError)
        return { kind: 'failed', status: String(error.status ?? 'failed'), reason: `the evidence: ${error.message}` }
      if (!(error instanceof PartRefused)) throw error
      const hint = error.status === 413 ? ' (--no-original or --evidence none leaves it out)' : ''
      const kind = error.status === 0 || error.status === 409 ? 'failed' : 'refused'
      const status = error.status === 0 ? 'failed' : String(error.status)
      return { kind, status, reason: `the evidence: ${error.message}${hint}` }
    }
  }
  const evidence: EvidenceTarget = {
    send: ({ files }, isAll) =>
      problemOf(() =>
        sendParts(
          client,
          new Map(files.map(({ sha256, path, bytes }) => [sha256, { path, offset: 0, bytes }])),
          asked,
          { isAll },
        ),
      ),
    attach: (run_id, { manifest }) =>
      problemOf(() =>
        client.request(
          path(run_id),
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ manifest }),
            signal: asked.signal,
          },
          async (response) => {
            if (response.ok) return readAnswer(response, z.object({ n: z.int() }))
            if (response.status === 401) throw await readRefusal(client.url, response, asked.token)
            throw new PartRefused(
              response.status,
              `${client.url} answers ${response.status}: ${await errorText(response)}`,
            )
          },
        ),
      ),
  }
  return {
    evidence,
    hasEvidence: async (run_id) => {
      try {
        return await client.request(path(run_id), { signal: asked.signal }, async (response) => {
          // A service that is older than evidence, or a run that was deleted meanwhile.
          if (await isAbsent(response)) return true
          if (!response.ok) throw await readRefusal(client.url, response, asked.token)
          return (await readAnswer(response, Evidence)).evidence.length > 0
        })
      } catch (error) {
        throw asFinal(error)
      }
    },
  }
}

/** Saves the receipt of a run. Returns why that is not possible, or null: the next import of the document tries again. */
const receiptProblem = async (
  client: ServiceClient,
  id: string,
  folder: string,
  signal: AbortSignal,
): Promise<Outcome | null> => {
  try {
    await saveReceipt(client, id, folder, { isCosigned: false, signal })
    return null
  } catch (error) {
    if (!(error instanceof NoReceipt || error instanceof TransientError)) throw error
    const kind = error instanceof NoReceipt && error.status !== null ? 'refused' : 'failed'
    return { kind, status: String(error.status ?? 'failed'), reason: `stored, but without a receipt: ${error.message}` }
  }
}

type Answered =
  | { readonly kind: 'imported' | 'already_there'; readonly id: string; readonly hidden_cases: number }
  | Extract<Outcome, { readonly status: string }>

/** Throws `WrongAnswer` for a success response of another site, such as a web page. */
const readOutcome = async (response: Response): Promise<Answered> => {
  const { status } = response
  if (status === 200 || status === 201) {
    const { id, hidden_cases = 0 } = await readAnswer(response, Created)
    return { kind: status === 201 ? 'imported' : 'already_there', id, hidden_cases }
  }
  const reason = await errorText(response)
  return { kind: status >= 400 && status < 500 ? 'refused' : 'failed', status: String(status), reason }
}

const questionsTo = (
  client: ServiceClient,
  token: string | undefined,
): Pick<ImportTarget, 'known' | 'content' | 'remove'> => {
  /** Reads an answer of the service; null for 404. Throws `UserError` for any other answer, or none. */
  const ask = async <T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<T | null> => {
    try {
      return await client.request(path, init, async (response) => {
        if (await isAbsent(response)) return null
        if (!response.ok) throw await readRefusal(client.url, response, token)
        return read(response)
      })
    } catch (error) {
      throw asFinal(error)
    }
  }

  return {
    known: async (run_id) => {
      const config = await ask(`/runs/${encodeURIComponent(run_id)}/config`, {}, (response) =>
        readAnswer(response, Config, MAX_DOCUMENT_BYTES),
      )
      return config === null ? null : { import: importedIn(config) }
    },
    content: (run_id) =>
      ask(`/runs/${encodeURIComponent(run_id)}/export`, {}, (response) => objectBytes(response, MAX_DOCUMENT_BYTES)),
    remove: async (run_id) => {
      const query = new URLSearchParams({ run_id }).toString()
      return client
        .request(`/runs?${query}`, { method: 'DELETE' }, async (response) => {
          const { status } = response
          if (status === 204 || (await isAbsent(response))) return null
          const kind = status >= 400 && status < 500 ? ('refused' as const) : ('failed' as const)
          return {
            kind,
            status: String(status),
            reason: `the stored run cannot be deleted: ${await errorText(response)}`,
          }
        })
        .catch((error: unknown) => {
          if (!(error instanceof TransientError)) throw error
          return { kind: 'failed' as const, status: String(error.status ?? 'failed'), reason: error.message }
        })
    },
  }
}
