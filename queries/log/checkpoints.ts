import { z } from 'zod'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// Checkpoints are not events and belong to no run set. Who may read them is decided by the routes.

/** A signed checkpoint. `note` is the signed note without cosignatures; `signed_at` is in epoch milliseconds. */
export const StoredCheckpoint = z.object({
  size: z.number(),
  root: z.instanceof(Buffer),
  signed_at: z.number(),
  note: z.string(),
})
export type StoredCheckpoint = z.infer<typeof StoredCheckpoint>

/** A verified cosignature. `line` is its signature line without the line end, `at` is in seconds since the epoch. */
export const StoredCosignature = z.object({
  size: z.number(),
  key_name: z.string(),
  key_id: z.string(),
  line: z.string(),
  at: z.number(),
})
export type StoredCosignature = z.infer<typeof StoredCosignature>

const ListedCheckpoint = z.object({
  size: z.number().int(),
  root: z.string().meta({ contentEncoding: 'base64' }),
  signed_at: z.string(),
  note: z.string(),
  cosigned_by: z.array(z.object({ name: z.string(), at: z.string() })),
})

/** A page of checkpoints, as the API answers it: the newest first. */
export const CheckpointList = z
  .object({ checkpoints: z.array(ListedCheckpoint), next_cursor: z.string().nullable() })
  .meta({ id: 'CheckpointList' })
export type CheckpointList = z.infer<typeof CheckpointList>

const CHECKPOINT = sql.fragment`size, root, signed_at, note`

/** The newest checkpoint, or null. */
export const findNewestCheckpoint: Query<StoredCheckpoint | null> = maybeOne(
  sql.type(StoredCheckpoint)`SELECT ${CHECKPOINT} FROM checkpoints ORDER BY size DESC LIMIT 1`,
)

/** The checkpoint of a size, or null if none was signed or kept. */
export const findCheckpoint = (size: number): Query<StoredCheckpoint | null> =>
  maybeOne(sql.type(StoredCheckpoint)`SELECT ${CHECKPOINT} FROM checkpoints WHERE size = ${size}`)

/** The next checkpoints below a size, the newest first. */
export const listCheckpointsBelow = (size: number, limit: number): Query<StoredCheckpoint[]> =>
  any(
    sql.type(StoredCheckpoint)`
      SELECT ${CHECKPOINT} FROM checkpoints WHERE size < ${size} ORDER BY size DESC LIMIT ${limit}`,
  )

const CheckpointTime = StoredCheckpoint.pick({ size: true, signed_at: true })

/** Sizes and times of the next checkpoints above a size, the smallest first. */
export const listCheckpointTimes = (above: number, limit: number): Query<Array<z.infer<typeof CheckpointTime>>> =>
  any(sql.type(CheckpointTime)`
    SELECT size, signed_at FROM checkpoints WHERE size > ${above} ORDER BY size LIMIT ${limit}`)

/** The cosignatures of the checkpoints between two sizes, both included, by size and key. */
export const listCosignatures = (from: number, to: number): Query<StoredCosignature[]> =>
  any(sql.type(StoredCosignature)`
    SELECT size, key_name, key_id, line, at FROM cosignatures
    WHERE size >= ${from} AND size <= ${to} ORDER BY size, key_name, key_id`)

/** A checkpoint as it is served: the signed note, then the lines of the given cosignatures. */
export const cosignedNote = (
  { note }: Pick<StoredCheckpoint, 'note'>,
  cosignatures: ReadonlyArray<Pick<StoredCosignature, 'line'>>,
): string => note + cosignatures.map(({ line }) => `${line}\n`).join('')

/** The next sizes below `below` and above `above` with cosignatures, the largest first. */
export const listCosignedSizes = (below: number, above: number, limit: number): Query<Array<{ size: number }>> =>
  any(sql.type(z.object({ size: z.number() }))`
    SELECT DISTINCT size FROM cosignatures WHERE size < ${below} AND size > ${above} ORDER BY size DESC LIMIT ${limit}`)

const WitnessSize = z.object({ key_name: z.string(), key_id: z.string(), size: z.number() })
export type WitnessSize = z.infer<typeof WitnessSize>

/** The size of the last checkpoint that each witness has cosigned, as far as this log knows. */
export const listWitnesses: Query<WitnessSize[]> = any(
  sql.type(WitnessSize)`SELECT key_name, key_id, size FROM witnesses ORDER BY key_name, key_id`,
)
