import { sha256 } from '@noble/hashes/sha2.js'
import { fromUtf8, toHex } from '../../domain/proof/bytes.ts'
import {
  checkReceipt,
  DocumentDiffers,
  longerDocument,
  type CheckedReceipt,
  type GivenDocument,
  type Trust,
} from '../../domain/proof/check.ts'
import type { ProofCrypto } from '../../domain/proof/crypto.ts'
import { recordedManifest } from '../../domain/proof/check-evidence.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parseVkey } from '../../domain/proof/keys.ts'
import { parsePolicy } from '../../domain/proof/policy.ts'
import { MAX_PROOF_BYTES } from '../../domain/proof/tlog-proof.ts'
import { plural } from '../text/format.ts'
import { checkParts } from './check-parts.ts'
import { refusal, TITLES, type Outcome } from './outcome.ts'
import { receiptFacts, type ReceiptFact } from './receipt-facts.ts'

/** What a reader put into the page. `keys`: vkeys, one per line. */
export type Given = {
  readonly receipt: File
  readonly document: File | null
  readonly keys: string
  readonly policy: File | null
  /** The manifest of the evidence, and files that are its parts. */
  readonly manifest: File | null
  readonly parts: readonly File[]
}

/** Checks a receipt with everything that was given. Nothing leaves the page. */
export const checkFiles = async (
  { receipt, document, keys, policy, manifest, parts }: Given,
  crypto: ProofCrypto,
): Promise<Outcome> => {
  // What code 20 is about: keys and policies are refused with it too.
  let unreadable = 'Not a verifier key'
  try {
    const vkeys = await Promise.all(textLines(keys).map((line) => parseVkey(line, crypto)))
    if (vkeys.length === 0 && !policy) return refusal(2, 'paste the verifier key of the log first, or choose a policy')
    unreadable = 'Not a witness policy'
    const trust = { keys: vkeys, policy: policy ? await parsePolicy(await fileBytes(policy), crypto) : null }
    unreadable = TITLES[20]
    const text = await receiptText(receipt)
    const given = document ? { document: (maxBytes: number | null) => fileDigest(document, maxBytes) } : {}
    const checked = await checkReceipt(text, { ...trust, ...given }, crypto)
    const facts = receiptFacts(checked)
    if (!manifest) {
      if (parts.length > 0) return refusal(2, 'choose the manifest too: it says which parts the evidence has')
      return { ok: true, facts, hints: hintsOf(checked, trust) }
    }
    unreadable = 'Not a manifest'
    const evidence = await checkParts(checked, manifest, parts)
    return evidence.refused ?? { ok: true, facts: [...facts, evidence.fact], hints: hintsOf(checked, trust, true) }
  } catch (error) {
    if (error instanceof DocumentDiffers) return differing(error)
    if (error instanceof ProofFailed)
      return refusal(error.code, error.message, error.code === 20 ? { title: unreadable } : {})
    if (error instanceof DOMException) return refusal(2, 'a file could not be read; choose it again if it has changed')
    if (error instanceof NotRead) return refusal(2, error.message)
    throw error
  }
}

/** What would show more than this check did. */
const hintsOf = ({ record, document }: CheckedReceipt, { policy }: Trust, hasEvidence = false): string[] => [
  ...(record.document && document === 'not given'
    ? ['Give the document too, to see that it is the one that was recorded.']
    : []),
  ...(recordedManifest(record) && !hasEvidence
    ? ['Give the manifest and the parts of its evidence too, to see that they are those that were recorded.']
    : []),
  ...(policy?.quorum
    ? []
    : [
        'No witness was required, so other people may be shown another history. A witness policy names witnesses that must have signed.',
      ]),
]

const differing = ({ given, recorded }: DocumentDiffers): Outcome => {
  const factOf = (name: string, { bytes, sha256 }: DocumentDiffers['recorded']): ReceiptFact => ({
    name,
    code: sha256,
    note: bytes === null ? 'SHA-256' : `SHA-256 of ${plural(bytes, 'byte')}`,
  })
  return refusal(
    10,
    'this document is not the one that was recorded. If it was uploaded again in other bytes, the first upload counts: Export on the page of the run downloads it',
    { facts: [factOf('Given', given), factOf('Recorded', recorded)] },
  )
}

const textLines = (keys: string): string[] =>
  keys
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const fileBytes = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer())

const receiptText = async (file: File): Promise<string> => {
  // A long file is cut: its length is what is wrong with it.
  const bytes = await fileBytes(file.slice(0, MAX_PROOF_BYTES + 1))
  const text = bytes.length > MAX_PROOF_BYTES ? ' '.repeat(bytes.length) : fromUtf8(bytes)
  if (text === null) throw new ProofFailed(20, 'the receipt is not UTF-8 text')
  return text
}

const BEGINNING = 'c2sp.org/tlog-proof@'

/** Whether a file begins as receipts do. */
export const isReceipt = async (file: File): Promise<boolean> =>
  fromUtf8(await fileBytes(file.slice(0, BEGINNING.length))) === BEGINNING

/** A document that this page cannot read: nothing follows about the receipt. */
class NotRead extends Error {}

/**
 * Length and SHA-256 of a document, decompressed if its content is gzip, in constant memory. Throws `ProofFailed` 10 if it
 * is longer than `maxBytes`.
 */
const fileDigest = async (file: File, maxBytes: number | null): Promise<GivenDocument> => {
  const [first, second] = await fileBytes(file.slice(0, 2))
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
