import { counted } from '../../domain/plain/counted.ts'
import { createHash, hash } from 'node:crypto'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import { openDocument, type NormalCase } from '../../domain/run/document.ts'

/**
 * Short digests of the keys and of the content of the cases of a document: 24 bytes a case instead of the whole. They are a
 * text of Latin-1 characters, since many small buffers would take more memory.
 */
export type CaseDigests = { readonly packed: string }

const SHORT_BYTES = 12

export const caseDigests = (document: Uint8Array): CaseDigests => {
  const found = digests(document)
  const bytes = Buffer.alloc(found.size * 2 * SHORT_BYTES)
  let at = 0
  for (const [key, digest] of found) {
    at += hash('sha256', key, 'buffer').copy(bytes, at, 0, SHORT_BYTES)
    at += digest.copy(bytes, at, 0, SHORT_BYTES)
  }
  return { packed: bytes.toString('latin1') }
}

/**
 * Compares two documents case by case: key, status, score, output and assertions. Of the stored one, the digests of its
 * cases are enough. Returns null if they are equal, else what differs, in words. Their order does not matter.
 */
export const compareRuns = (stored: Uint8Array | CaseDigests, converted: Uint8Array): string | null => {
  const isDocument = stored instanceof Uint8Array
  const before = isDocument ? digests(stored) : unpacked(stored)
  const after = isDocument ? digests(converted) : unpacked(caseDigests(converted))
  let [added, other] = [0, 0]
  for (const [key, digest] of after) {
    const known = before.get(key)
    if (known === undefined) added += 1
    else if (!known.equals(digest)) other += 1
    before.delete(key)
  }
  const removed = before.size
  if (added + other + removed === 0) return null
  const parts = [
    ...(other > 0 ? [`${other} with other content`] : []),
    ...(added > 0 ? [`${added} more`] : []),
    ...(removed > 0 ? [`${removed} fewer`] : []),
  ]
  return `of ${counted(after.size, 'case')}: ${parts.join(', ')}`
}

const unpacked = ({ packed }: CaseDigests): Map<string, Buffer> => {
  const bytes = Buffer.from(packed, 'latin1')
  const found = new Map<string, Buffer>()
  for (let at = 0; at < bytes.length; at += 2 * SHORT_BYTES)
    found.set(bytes.toString('latin1', at, at + SHORT_BYTES), bytes.subarray(at + SHORT_BYTES, at + 2 * SHORT_BYTES))
  return found
}

/** A digest of each case, by its key. Of cases with the same key the first counts, as in the service. */
const digests = (bytes: Uint8Array): Map<string, Buffer> => {
  const document = openDocument(bytes)
  const found = new Map<string, Buffer>()
  for (let index = 0; index < document.caseCount; index++) {
    const item = document.caseAt(index)
    if (!found.has(item.case_key)) found.set(item.case_key, caseDigest(item))
  }
  return found
}

const caseDigest = ({ status, score, output, asserts }: NormalCase): Buffer =>
  createHash('sha256')
    .update(canonicalJson({ status, score, output: output ?? null, asserts }))
    .digest()
