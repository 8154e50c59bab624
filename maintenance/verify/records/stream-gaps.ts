import { z } from 'zod'
import { maybeOne, one, sql } from '../../../storage/sql.ts'
import type { Query } from '../../../storage/storage.ts'
import type { Erasures, KeptData } from './erasures.ts'
import { VerificationFailed } from '../finding.ts'

type Reads = { readonly read: <T>(query: Query<T>) => Promise<T> }

const Place = z.object({ stream: z.string(), version: z.number() })
const findPlace = (seq: number) => one(sql.type(Place)`SELECT stream, version FROM event_bodies WHERE seq = ${seq}`)
const findVersionBefore = (stream: string, seq: number) =>
  maybeOne(sql.type(z.object({ version: z.number() }))`
    SELECT version FROM event_bodies WHERE stream = ${stream} AND seq < ${seq} ORDER BY version DESC LIMIT 1`)

/**
 * Follows the versions that are missing in their streams: each belongs to an erased body. An erasure that keeps stream and
 * version accounts for exactly that one, any other erasure for one version somewhere. The records must be added in order.
 */
export const streamGaps = ({ read }: Reads, erasures: Erasures) => {
  const kept = new Map<string, Array<{ readonly seq: number; readonly version: number }>>()
  for (const [seq, erasure] of erasures)
    if (erasure.kept) {
      const { stream, version } = erasure.kept
      const places = kept.get(stream)
      if (places) places.push({ seq, version })
      else kept.set(stream, [{ seq, version }])
    }
  // Erased records whose stream is unknown, less the versions that they explain.
  let unnamed = 0

  const check = async (seq: number, stream: string, version: number): Promise<void> => {
    const stored = (await read(findVersionBefore(stream, seq)))?.version ?? 0
    const earlier = (kept.get(stream) ?? []).filter((place) => place.seq < seq)
    const previous = Math.max(stored, ...earlier.map((place) => place.version))
    if (version <= previous)
      throw new VerificationFailed('altered', `record ${seq} repeats version ${version} of ${stream}`)
    unnamed -= version - previous - 1
    if (unnamed < 0)
      throw new VerificationFailed(
        'missing',
        `record ${seq} is version ${version} of ${stream}, after version ${previous}`,
      )
  }

  return {
    /** Adds a stored record whose predecessor is missing. Throws `VerificationFailed`. */
    add: async (seq: number): Promise<void> => {
      const { stream, version } = await read(findPlace(seq))
      await check(seq, stream, version)
    },
    /** Adds an erased record. Throws `VerificationFailed`. */
    addErased: async (seq: number, place: KeptData | null): Promise<void> => {
      if (place === null) unnamed++
      else await check(seq, place.stream, place.version)
    },
  }
}
