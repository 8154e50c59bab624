import { MAX_ENTRIES, MAX_MANIFEST_BYTES } from '../../domain/evidence/manifest.ts'
import { counted } from '../../domain/plain/counted.ts'
import type { CasePart } from './case-parts.ts'

/** A case, and its parts. */
type CaseWithParts = { readonly case_key: string; readonly parts: readonly CasePart[] }

/**
 * The bytes of the manifest of a run; null if it has no parts. Parts are in the order of the cases. Warns of those for which a manifest has
 * no place.
 */
export const runManifest = (cases: readonly CaseWithParts[], warn: (message: string) => void): Uint8Array | null => {
  const entries: string[] = []
  let bytes = 0
  let left = 0
  for (const { case_key, parts } of cases)
    for (const { sha256, bytes: size, role, name, media_type } of parts) {
      const entry = JSON.stringify({ sha256, bytes: size, role, case_key, name, media_type })
      bytes += Buffer.byteLength(entry) + 1
      if (entries.length < MAX_ENTRIES && bytes < MAX_MANIFEST_BYTES - 1024) entries.push(entry)
      else left++
    }
  if (left > 0)
    warn(`${counted(left, 'part')} of the run ${left === 1 ? 'is' : 'are'} not kept: its manifest has no more room`)
  return entries.length === 0 ? null : Buffer.from(`{"evidence":1,"parts":[${entries.join(',')}]}`)
}
