import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft } from './case-draft.ts'
import type { Losses } from '../losses.ts'

/** Maximum size of `raw` as JSON. */
const MAX_RAW_BYTES = 64 * 1024

/** What the importer did not read, as `raw`. If that is too large, the largest members are left out first. */
export const rawOf = (draft: CaseDraft, losses: Losses, path: string): Json | null => {
  const members: Record<string, Json> = { ...draft.rest?.rest(), ...draft.raw }
  return limitedMembers(members, losses, path, 'raw')
}

/**
 * The members of an object that fit into 64 KiB as JSON, without the largest ones, which are recorded as left out. Null if
 * none is left. `name` is what the members are for. The object is changed.
 */
export const limitedMembers = (
  members: Record<string, Json>,
  losses: Losses,
  path: string,
  name: string,
): Json | null => {
  if (Object.keys(members).length === 0) return null
  if (Buffer.byteLength(JSON.stringify(members)) <= MAX_RAW_BYTES) return members
  const sizes = new Map(Object.entries(members).map(([key, value]) => [key, memberSize(key, value)]))
  let size = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 2)
  for (const [key, bytes] of [...sizes].sort(([, a], [, b]) => b - a)) {
    if (size <= MAX_RAW_BYTES) break
    losses.add(
      'left_out',
      path === '' ? key : `${path}.${key}`,
      members[key],
      `${name} is limited to ${MAX_RAW_BYTES} bytes`,
    )
    delete members[key]
    size -= bytes
  }
  return Object.keys(members).length === 0 ? null : members
}

const memberSize = (key: string, value: Json): number =>
  Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(key) + 4
