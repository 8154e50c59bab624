import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { answerParts, checkType, errorText, WrongAnswer } from '../client/answer.ts'
import { queryText } from '../client/pages.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { runFileName, writeWhole } from '../export/write-file.ts'
import { causeText } from '../../domain/plain/cause-text.ts'

/** The service gives no receipt, or it cannot be written. `status` is that of the response, or null. */
export class NoReceipt extends Error {
  override readonly name = 'NoReceipt'
  readonly status: number | null

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

type Asked = {
  /** Whether enough witnesses must have cosigned the receipt. */
  readonly isCosigned: boolean
  /** The number of evidence of the run; null, or left out, for the upload. */
  readonly evidence?: number | null
  readonly signal: AbortSignal
}

/**
 * Returns the receipt of a run. Throws `NoReceipt`, and `TransientError` if the service has none yet or cannot be
 * reached.
 */
export const fetchReceipt = (
  client: ServiceClient,
  run_id: string,
  { isCosigned, evidence, signal }: Asked,
): Promise<string> => {
  // A URL parser drops these path segments even if they are escaped: the request would name another resource.
  if (run_id === '' || run_id === '.' || run_id === '..')
    throw new NoReceipt('a run with this id cannot be requested over HTTP', null)
  const query = queryText({ cosigned: isCosigned || undefined, evidence: evidence ?? undefined })
  const path = `/runs/${encodeURIComponent(run_id)}/receipt${query === '' ? '' : `?${query}`}`
  return client.request(path, { headers: { accept: 'text/plain' }, signal }, async (response) => {
    if (response.status !== 200) throw new NoReceipt(await errorText(response), response.status)
    return receiptText(response)
  })
}

const RECEIPT_BEGINS = 'c2sp.org/tlog-proof@'
/** A receipt has an opening, a path of at most 64 hashes, and a note with its signatures. */
const MAX_RECEIPT_BYTES = 1024 * 1024

const receiptText = async (response: Response): Promise<string> => {
  try {
    checkType(response, /^text\/plain$/i, 'a receipt')
    const parts: Uint8Array[] = []
    for await (const part of answerParts(response, { maxBytes: MAX_RECEIPT_BYTES })) parts.push(part)
    const text = Buffer.concat(parts).toString()
    if (text.startsWith(RECEIPT_BEGINS)) return text
    throw new WrongAnswer('sends no receipt')
  } catch (error) {
    if (error instanceof WrongAnswer)
      throw new NoReceipt('the answer is not a receipt; check the address', response.status, error)
    throw error
  }
}

/** The file of the receipt of a run in a folder. */
export const receiptPath = (folder: string, run_id: string): string => join(folder, runFileName(run_id, '.tlog-proof'))

/**
 * Saves the receipt of a run in a folder, and returns false if there is a file already. A file is never replaced: if the
 * run was deleted and uploaded again since, it proves the earlier upload. Throws as `fetchReceipt` does.
 */
export const saveReceipt = async (
  client: ServiceClient,
  run_id: string,
  folder: string,
  asked: Asked,
): Promise<boolean> => {
  const path = receiptPath(folder, run_id)
  if (existsSync(path)) return false
  const receipt = Buffer.from(await fetchReceipt(client, run_id, asked))
  try {
    await writeWhole([receipt], path, { gzip: false, length: receipt.length, signal: asked.signal })
  } catch (error) {
    throw new NoReceipt(`cannot be written: ${causeText(error)}`, null, error)
  }
  return true
}
