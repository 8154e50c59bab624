import type { Json } from '../../domain/run/readers.ts'
import type { CaseDraft } from './case-draft.ts'
import type { Losses } from './losses.ts'

/** Maximum size of `raw` as JSON. */
const MAX_RAW_BYTES = 64 * 1024

/** What the importer did not read, as `raw`. If that is too large, the largest members are left out first. */
export const rawOf = (draft: CaseDraft, losses: Losses, path: string): Json | null => {
  const members: Record<string, Json> = { ...draft.rest?.rest(), ...draft.raw }
  if (Object.keys(members).length === 0) return null
  const sizes = new Map(Object.entries(members).map(([key, value]) => [key, sizeOf(key, value)]))
  let size = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 2)
  for (const [key, bytes] of [...sizes].sort(([, a], [, b]) => b - a)) {
    if (size <= MAX_RAW_BYTES) break
    losses.add('left_out', `${path}.${key}`, members[key], `raw is limited to ${MAX_RAW_BYTES} bytes`)
    delete members[key]
    size -= bytes
  }
  return Object.keys(members).length === 0 ? null : members
}

const sizeOf = (key: string, value: Json): number =>
  Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(key) + 4
