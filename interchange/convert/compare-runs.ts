import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import { openDocument } from '../../domain/run/document.ts'
import type { NormalCase } from '../../domain/run/document.ts'

/**
 * Compares two documents case by case: key, status, score, output and assertions. Returns null if they are equal, else
 * what differs, in words. Their order does not matter.
 */
export const compareRuns = (stored: Uint8Array, converted: Uint8Array): string | null => {
  const before = digests(stored)
  const after = digests(converted)
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
  return `of ${after.size} cases: ${parts.join(', ')}`
}

/** A digest of each case, by its key. Of cases with the same key the first counts, as in the service. */
const digests = (bytes: Uint8Array): Map<string, Buffer> => {
  const document = openDocument(bytes)
  const found = new Map<string, Buffer>()
  for (let index = 0; index < document.caseCount; index++) {
    const item = document.caseAt(index)
    if (!found.has(item.case_key)) found.set(item.case_key, digestOf(item))
  }
  return found
}

const digestOf = ({ status, score, output, asserts }: NormalCase): Buffer =>
  createHash('sha256')
    .update(canonicalJson({ status, score, output: output ?? null, asserts }))
    .digest()
