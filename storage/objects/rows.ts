import { z } from 'zod'
import { LARGE_FRAMES, type Frame } from '../documents/frames.ts'
import { any, insertRows, mapped, maybeOne, one, perDialect, sql, statement, type Fragment } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'
import type { ObjectPlace } from './object-store.ts'
import { decodeLengths, encodeLengths, ObjectDamaged } from './seal.ts'

// The rows of objects and of stored parts. A caller of a read has checked that the viewer may have the part: its number must come from a
// query with a viewer.

/** Bytes of a row of an object. */
export const ROW_BYTES = 256 * 1024

/** The largest part that is stored as frames. Manifests are, whatever their size: a rebuild reads them. */
export const MAX_FRAMED_BYTES = 256 * 1024

/** How parts are cut into frames. */
export const PART_CUT = LARGE_FRAMES

/** Rows of an object from a number on. */
export const insertObjectRows = (object_id: string, from: number, rows: readonly Buffer[]): Statement =>
  insertRows(
    'object_rows',
    ['object_id', 'n', 'bytes'],
    rows.map((bytes, i) => [object_id, from + i, bytes]),
  )

const BytesRow = z.object({ n: z.number(), bytes: z.instanceof(Buffer) })

/** The rows of an object from one number to another, in order. */
export const listObjectRows = (object_id: string, from: number, to: number): Query<z.infer<typeof BytesRow>[]> =>
  any(sql.type(BytesRow)`
    SELECT n, bytes FROM object_rows WHERE object_id = ${object_id} AND n >= ${from} AND n <= ${to} ORDER BY n`)

const IDS_PER_READ = 1000
/** In a copy of a store: removes the bytes that were copied from a place so far. */
export const forgetCopied = (place: ObjectPlace): Statement => statement`
  DELETE FROM object_rows WHERE object_id IN (SELECT object_id FROM objects WHERE place = ${place})`

/** In a copy of a store: the bytes of all objects of a place are in the table. */
export const moveToTable = (place: ObjectPlace): Statement =>
  statement`UPDATE objects SET place = 'table' WHERE place = ${place}`

const LastRow = z.object({ n: z.number() })

/** The number of the last row of an object; -1 if it has none. */
export const findLastRow = (object_id: string): Query<number> =>
  mapped(
    one(sql.type(LastRow)`SELECT coalesce(max(n), -1) AS n FROM object_rows WHERE object_id = ${object_id}`),
    ({ n }) => n,
  )

/** Deletes the rows of an object from one number to before another. */
export const deleteObjectRows = (object_id: string, from: number, to: number): Statement =>
  statement`DELETE FROM object_rows WHERE object_id = ${object_id} AND n >= ${from} AND n < ${to}`

/** Notes an object whose bytes are about to be written. */
export const beginObject = (object_id: string, place: string, key: Buffer, at: number): Statement =>
  statement`
    INSERT INTO objects (object_id, place, state, key, lengths, created_at)
    VALUES (${object_id}, ${place}, 'writing', ${sql.binary(key)}, NULL, ${at})`

/** The bytes of an object are durable. */
export const endObject = (object_id: string, lengths: readonly number[]): Statement =>
  statement`
    UPDATE objects SET state = 'stored', lengths = ${sql.binary(encodeLengths(lengths))}
    WHERE object_id = ${object_id} AND state = 'writing'`

/** Deletes the key of an object, so that nothing opens it any more. Its bytes are removed afterwards. */
export const dropObject = (object_id: string): Statement =>
  statement`UPDATE objects SET state = 'deleting', key = NULL WHERE object_id = ${object_id}`

/** Drops an object that no part has. */
export const dropUnusedObject = (object_id: string): Statement =>
  statement`
    UPDATE objects SET state = 'deleting', key = NULL WHERE object_id = ${object_id} AND state = 'writing'`

/** Drops objects whose bytes were never completed. */
export const dropUnfinishedObjects = (before: number): Statement =>
  statement`UPDATE objects SET state = 'deleting', key = NULL WHERE state = 'writing' AND created_at < ${before}`

const StateRow = z.object({ state: z.string() })

/** The state of an object, or null. */
export const findObjectState = (object_id: string): Query<string | null> =>
  mapped(
    maybeOne(sql.type(StateRow)`SELECT state FROM objects WHERE object_id = ${object_id}`),
    (row) => row?.state ?? null,
  )

const DroppedRow = z.object({ object_id: z.string() })

const SealedRow = z.object({
  object_id: z.string(),
  place: z.string(),
  key: z.instanceof(Buffer),
  lengths: z.instanceof(Buffer).nullable(),
})

/** An object whose bytes are complete, with what opens it. */
export type SealedObject = Omit<z.infer<typeof SealedRow>, 'lengths'> & { readonly lengths: readonly number[] }

/** The objects in a place after an id whose bytes are complete, in order: at most a thousand. Throws `ObjectDamaged` if a row was altered. */
export const listStoredObjects = (place: ObjectPlace, after: string): Query<SealedObject[]> =>
  mapped(
    any(sql.type(SealedRow)`
      SELECT object_id, place, key, lengths FROM objects
      WHERE object_id > ${after} AND place = ${place} AND state = 'stored' ORDER BY object_id LIMIT ${IDS_PER_READ}`),
    (rows) =>
      rows.map(({ lengths, ...row }) => {
        if (lengths === null) throw new ObjectDamaged(`object ${row.object_id} has no lengths`)
        return { ...row, lengths: decodeLengths(lengths) }
      }),
  )

const KnownRow = z.object({ object_id: z.string(), state: z.string() })

/** Those of some objects that the store knows, with their states. */
export const listKnownObjects = (ids: readonly string[]): Query<ReadonlyMap<string, string>> => {
  const { sqlite, postgres } = wantedDigests(ids)
  const token = (wanted: Fragment) => sql.type(KnownRow)`
    SELECT objects.object_id, objects.state FROM ${wanted} wanted JOIN objects ON objects.object_id = wanted.sha256`
  return mapped(
    any(perDialect(token(sqlite), token(postgres))),
    (rows) => new Map(rows.map(({ object_id, state }) => [object_id, state])),
  )
}

/** Objects elsewhere than in a bucket whose bytes are to be removed: at most a thousand. */
export const listDroppedObjects: Query<string[]> = mapped(
  any(sql.type(DroppedRow)`
    SELECT object_id FROM objects WHERE state = 'deleting' AND place <> 's3' ORDER BY object_id LIMIT ${IDS_PER_READ}`),
  (rows) => rows.map(({ object_id }) => object_id),
)

/**
 * Objects of a bucket after an id whose bytes are to be removed, in order: at most a thousand. Those whose bytes were never completed only if they
 * began before a time: a request that was given up may still arrive, and store what no row would name any more.
 */
export const listDroppedInBucket = (after: string, begunBefore: number): Query<string[]> =>
  mapped(
    any(sql.type(DroppedRow)`
      SELECT object_id FROM objects
      WHERE object_id > ${after} AND state = 'deleting' AND place = 's3'
        AND (lengths IS NOT NULL OR created_at < ${begunBefore})
      ORDER BY object_id LIMIT ${IDS_PER_READ}`),
    (rows) => rows.map(({ object_id }) => object_id),
  )

/** Those of some objects that are in a bucket. */
export const listInBucket = (ids: readonly string[]): Query<ReadonlySet<string>> => {
  const { sqlite, postgres } = wantedDigests(ids)
  const token = (wanted: Fragment) => sql.type(DroppedRow)`
    SELECT objects.object_id FROM ${wanted} wanted JOIN objects ON objects.object_id = wanted.sha256
    WHERE objects.place = 's3'`
  return mapped(
    any(perDialect(token(sqlite), token(postgres))),
    (rows) => new Set(rows.map(({ object_id }) => object_id)),
  )
}

/** Forgets an object whose bytes are removed. */
export const forgetObject = (object_id: string): Statement =>
  statement`DELETE FROM objects WHERE state = 'deleting' AND object_id = ${object_id}`

const Count = z.object({ n: z.number() })

/** The number of objects in a place whose bytes are complete. */
export const countObjectsIn = (place: ObjectPlace): Query<number> =>
  mapped(
    one(sql.type(Count)`SELECT count(*) AS n FROM objects WHERE place = ${place} AND state = 'stored'`),
    ({ n }) => n,
  )

/** The number of objects whose bytes were completed in a bucket, also of those that wait to be removed. */
export const countInBucket: Query<number> = mapped(
  one(sql.type(Count)`SELECT count(*) AS n FROM objects WHERE place = 's3' AND lengths IS NOT NULL`),
  ({ n }) => n,
)

/** The last number of a part that was given. */
export const findLastPartNo: Query<number> = mapped(
  one(sql.type(Count)`SELECT coalesce(max(value), 0) AS n FROM sequences WHERE name = 'part_no'`),
  ({ n }) => n,
)

/** Notes the last number of a part that was given. */
export const setLastPartNo = (value: number): Statement =>
  statement`
    INSERT INTO sequences (name, value) VALUES ('part_no', ${value})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** A stored copy of a part. */
export type StoredPart = { readonly part_no: number; readonly sha256: string; readonly bytes: number }

/** Inserts parts, without their bytes. */
export const insertParts = (parts: readonly StoredPart[]): Statement =>
  insertRows(
    'parts',
    ['part_no', 'sha256', 'bytes'],
    parts.map(({ part_no, sha256, bytes }) => [part_no, sha256, bytes]),
  )

/** Inserts the frames of parts. */
export const insertPartFrames = (
  parts: ReadonlyArray<{ readonly part_no: number; readonly frames: readonly Frame[] }>,
): Statement =>
  insertRows(
    'part_frames',
    ['part_no', 'n', 'raw_length', 'bytes'],
    parts.flatMap(({ part_no, frames }) => frames.map(({ n, raw_length, bytes }) => [part_no, n, raw_length, bytes])),
  )

/** Adds an object to a part, as a piece of it. */
export const insertPartObject = (part_no: number, n: number, object_id: string, bytes: number): Statement =>
  statement`
    INSERT INTO part_objects (part_no, n, object_id, bytes) VALUES (${part_no}, ${n}, ${object_id}, ${bytes})`

/**
 * Deletes stored parts whose numbers a SELECT gives: their frames, their outlines, and the keys of their objects, but not those of objects that a
 * whole run has. The rows that the SELECT reads must still be there.
 */
export const dropParts = (numbers: Fragment): Statement[] => [
  statement`
    UPDATE objects SET state = 'deleting', key = NULL
    WHERE object_id IN (SELECT object_id FROM part_objects WHERE start IS NULL AND part_no IN (${numbers}))`,
  statement`DELETE FROM part_objects WHERE part_no IN (${numbers})`,
  statement`DELETE FROM part_frames WHERE part_no IN (${numbers})`,
  statement`DELETE FROM outline_keys WHERE part_no IN (${numbers})`,
  statement`DELETE FROM outlines WHERE part_no IN (${numbers})`,
  statement`DELETE FROM parts WHERE part_no IN (${numbers})`,
]

const PieceRow = z.object({
  n: z.number(),
  start: z.number().nullable(),
  bytes: z.number(),
  object_id: z.string(),
  place: z.string(),
  key: z.instanceof(Buffer).nullable(),
  lengths: z.instanceof(Buffer).nullable(),
})

/**
 * An object of a part: where its raw bytes begin in the part, and what opens it. The key is null once it was dropped. `offset` is where they begin in
 * an object of the whole run; null for an object that has nothing else.
 */
export type PartPiece = {
  readonly start: number
  readonly offset: number | null
  readonly bytes: number
  readonly object_id: string
  readonly place: string
  readonly key: Buffer | null
  readonly lengths: readonly number[]
}

/** The objects of a part, in order. */
export const listPartPieces = (part_no: number): Query<PartPiece[]> =>
  mapped(
    any(sql.type(PieceRow)`
      SELECT piece.n, piece.start, piece.bytes, piece.object_id, objects.place, objects.key, objects.lengths
      FROM part_objects piece JOIN objects ON objects.object_id = piece.object_id
      WHERE piece.part_no = ${part_no} ORDER BY piece.n`),
    (rows) => {
      let start = 0
      return rows.map(({ start: offset, lengths, ...row }) => {
        const piece = { ...row, start, offset, lengths: lengths === null ? [] : decodeLengths(lengths) }
        start += row.bytes
        return piece
      })
    },
  )

const FrameRow = z.object({ n: z.number(), raw_length: z.number(), bytes: z.instanceof(Buffer) })

/** The frames of a part, in order; none if it is stored in objects. */
export const listPartFrames = (part_no: number): Query<Frame[]> =>
  any(sql.type(FrameRow)`SELECT n, raw_length, bytes FROM part_frames WHERE part_no = ${part_no} ORDER BY n`)

const PartNumber = z.object({ part_no: z.number() })

/** The stored copy of a part of a run, or null. */
export const findPartOfRun = (run_no: number, sha256: string): Query<number | null> =>
  mapped(
    maybeOne(sql.type(PartNumber)`SELECT part_no FROM run_parts WHERE run_no = ${run_no} AND sha256 = ${sha256}`),
    (row) => row?.part_no ?? null,
  )

/** A table of texts, one for each dialect: for a list of digests that is too long for `IN`. */
export const wantedDigests = (
  digests: readonly string[],
): { readonly sqlite: Fragment; readonly postgres: Fragment } => {
  const list = JSON.stringify(digests)
  return {
    sqlite: sql.fragment`(SELECT value AS sha256 FROM json_each(${list}))`,
    postgres: sql.fragment`(SELECT value AS sha256 FROM json_array_elements_text(CAST(${list} AS json)) listed (value))`,
  }
}
