import { sha256 } from '@noble/hashes/sha2.js'
import { fromUtf8, toHex } from '../../domain/proof/bytes.ts'
import { checkReceipt, longerDocument } from '../../domain/proof/check.ts'
import type { GivenDocument } from '../../domain/proof/check.ts'
import type { ProofCrypto } from '../../domain/proof/crypto.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import type { ProofCode } from '../../domain/proof/failed.ts'
import { parseVkey } from '../../domain/proof/keys.ts'
import { parsePolicy } from '../../domain/proof/policy.ts'
import { MAX_PROOF_BYTES } from '../../domain/proof/tlog-proof.ts'
import { receiptLines } from '../../domain/report/receipt.ts'
import type { ReceiptLine } from '../../domain/report/receipt.ts'
import { printable } from '../../domain/text/printable.ts'

/** What a reader put into the page. `keys`: vkeys, one a line. */
export type Given = {
  readonly receipt: File
  readonly document: File | null
  readonly keys: string
  readonly policy: File | null
}

/** The result of a check: what the receipt shows, or why it is refused. Code 2: something is still missing. */
export type Outcome =
  | { readonly ok: true; readonly lines: readonly ReceiptLine[] }
  | { readonly ok: false; readonly code: ProofCode | 2; readonly message: string }

/** Checks a receipt with everything that was given. Nothing leaves the page. */
export const checkFiles = async ({ receipt, document, keys, policy }: Given, crypto: ProofCrypto): Promise<Outcome> => {
  try {
    const vkeys = await Promise.all(linesOf(keys).map((line) => parseVkey(line, crypto)))
    if (vkeys.length === 0 && !policy)
      return { ok: false, code: 2, message: 'paste the verifier key of the log first, or choose a policy' }
    const trust = { keys: vkeys, policy: policy ? await parsePolicy(await bytesOf(policy), crypto) : null }
    const text = await receiptText(receipt)
    const given = document ? { document: (maxBytes: number | null) => digestOf(document, maxBytes) } : {}
    return { ok: true, lines: receiptLines(await checkReceipt(text, { ...trust, ...given }, crypto)) }
  } catch (error) {
    if (error instanceof ProofFailed) return { ok: false, code: error.code, message: printable(error.message) }
    if (error instanceof DOMException)
      return { ok: false, code: 2, message: 'a file could not be read; choose it again if it has changed' }
    if (error instanceof NotRead) return { ok: false, code: 2, message: error.message }
    throw error
  }
}

const linesOf = (keys: string): string[] =>
  keys
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer())

const receiptText = async (file: File): Promise<string> => {
  // A long file is cut: its length is what is wrong with it.
  const bytes = await bytesOf(file.slice(0, MAX_PROOF_BYTES + 1))
  const text = bytes.length > MAX_PROOF_BYTES ? ' '.repeat(bytes.length) : fromUtf8(bytes)
  if (text === null) throw new ProofFailed(20, 'the receipt is not UTF-8 text')
  return text
}

const BEGINNING = 'c2sp.org/tlog-proof@'

/** Whether a file begins as receipts do. */
export const isReceipt = async (file: File): Promise<boolean> =>
  fromUtf8(await bytesOf(file.slice(0, BEGINNING.length))) === BEGINNING

/** A document that this page cannot read: nothing follows about the receipt. */
class NotRead extends Error {}

/**
 * Length and SHA-256 of a document, decompressed if its content is gzip, in constant memory. Throws `ProofFailed` 10 if it
 * is longer than `maxBytes`.
 */
const digestOf = async (file: File, maxBytes: number | null): Promise<GivenDocument> => {
  const [first, second] = await bytesOf(file.slice(0, 2))
  const isGzip = first === 0x1f && second === 0x8b
  const digest = sha256.create()
  let bytes = 0
  const reader = (isGzip ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream()).getReader()
  for (;;) {
    const part = await reader.read().catch((error: unknown) => {
      // Browsers do not tell a damaged file from one of several parts, which gzip allows.
      if (isGzip && error instanceof TypeError)
        throw new NotRead(
          'the document begins as gzip does, and could not be read here: it is damaged, or has several parts. Decompress it first, or use "ers check-receipt"',
        )
      throw error
    })
    if (part.done) break
    digest.update(part.value)
    bytes += part.value.length
    if (maxBytes !== null && bytes > maxBytes) {
      await reader.cancel()
      throw longerDocument(maxBytes)
    }
  }
  return { bytes, sha256: toHex(digest.digest()) }
}
