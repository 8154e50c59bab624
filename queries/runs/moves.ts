import { z } from 'zod'
import { any, mapped, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { MAX_FRAMED_BYTES } from '../../storage/objects/rows.ts'

// What the service itself moves between frames and objects. Nothing here is for a viewer.

const Numbered = z.object({ run_no: z.number() })
const numbers = (rows: ReadonlyArray<z.infer<typeof Numbered>>): number[] => rows.map(({ run_no }) => run_no)

/** A list for `IN`. It must not be empty. */
export const inList = (values: ReadonlyArray<number | string>): Fragment => sql.join(values, sql.fragment`, `)

/** Runs whose documents wait to be moved, and which no other replica moves now, in order. */
export const listClaimable = (holder: string, at: number, limit: number): Query<number[]> =>
  mapped(
    any(sql.type(Numbered)`
      SELECT run_no FROM pending_moves WHERE until <= ${at} OR holder = ${holder} ORDER BY run_no LIMIT ${limit}`),
    numbers,
  )

const RunToMove = z.object({ run_no: z.number(), document_bytes: z.number(), document_sha256: z.string() })
/** A run whose document is moved, with what was recorded of it. */
export type RunToMove = z.infer<typeof RunToMove>

/** Those of some runs that are stored, in order. */
export const listRunsToMove = (run_nos: readonly number[]): Query<RunToMove[]> =>
  any(sql.type(RunToMove)`
    SELECT run_no, document_bytes, document_sha256 FROM runs WHERE run_no IN (${inList(run_nos)}) ORDER BY run_no`)

/** Those of some runs whose documents are in frames. */
export const listFramed = (run_nos: readonly number[]): Query<ReadonlySet<number>> =>
  mapped(
    any(sql.type(Numbered)`SELECT DISTINCT run_no FROM document_frames WHERE run_no IN (${inList(run_nos)})`),
    (rows) => new Set(numbers(rows)),
  )

const SmallPart = z.object({ run_no: z.number(), part_no: z.number(), sha256: z.string(), bytes: z.number() })
/** A small part of a run that no other run has. */
export type SmallPart = z.infer<typeof SmallPart>

/** The parts in frames that belong to one of some runs alone, in order. Manifests are not among them: a rebuild reads them. */
export const listSmallParts = (run_nos: readonly number[]): Query<SmallPart[]> =>
  any(sql.type(SmallPart)`
    SELECT own.run_no, own.part_no, own.sha256, parts.bytes
    FROM run_parts own JOIN parts ON parts.part_no = own.part_no
    WHERE own.run_no IN (${inList(run_nos)}) AND own.manifest = 0 AND own.set_no > 0
      AND parts.bytes > 0 AND parts.bytes <= ${MAX_FRAMED_BYTES}
      AND NOT EXISTS (SELECT 1 FROM run_parts other WHERE other.part_no = own.part_no AND other.run_no <> own.run_no)
      AND NOT EXISTS (SELECT 1 FROM part_objects piece WHERE piece.part_no = own.part_no)
      AND NOT EXISTS (
        SELECT 1 FROM run_evidence evidence
        WHERE evidence.run_no = own.run_no AND evidence.manifest_sha256 = own.sha256)
    ORDER BY own.run_no, own.part_no`)

const MovedPart = z.object({ part_no: z.number(), bytes: z.number() })

/** The parts of a run that are in its objects, in order. */
export const listMovedParts = (run_no: number): Query<Array<z.infer<typeof MovedPart>>> =>
  any(sql.type(MovedPart)`
    SELECT own.part_no, parts.bytes FROM run_parts own JOIN parts ON parts.part_no = own.part_no
    WHERE own.run_no = ${run_no} AND own.set_no < 0 ORDER BY own.part_no`)

const ObjectOf = z.object({ object_id: z.string() })

/** The objects of a run, in order. */
export const listObjectsOfRun = (run_no: number): Query<string[]> =>
  mapped(any(sql.type(ObjectOf)`SELECT object_id FROM run_objects WHERE run_no = ${run_no} ORDER BY n`), (rows) =>
    rows.map(({ object_id }) => object_id),
  )

const Choice = RunToMove.extend({ created_at: z.number() })

/** Stored runs after a number, of before an instant, whose documents are in frames or in objects, in order. */
export const listInPlace = (
  place: 'frames' | 'objects',
  { after, before, limit }: { readonly after: number; readonly before: number | null; readonly limit: number },
): Query<Array<z.infer<typeof Choice>>> => {
  const table = place === 'frames' ? sql.fragment`document_frames` : sql.fragment`run_objects`
  return any(sql.type(Choice)`
    SELECT runs.run_no, runs.document_bytes, runs.document_sha256, runs.created_at FROM runs
    WHERE runs.run_no > ${after}
      AND ${before === null ? sql.fragment`TRUE` : sql.fragment`runs.created_at < ${before}`}
      AND EXISTS (SELECT 1 FROM ${table} stored WHERE stored.run_no = runs.run_no)
    ORDER BY runs.run_no LIMIT ${limit}`)
}

const Waiting = z.object({ n: z.number(), oldest: z.number().nullable() })

/** How many documents wait to be moved, and since when the first does, in epoch milliseconds. */
export const countPendingMoves: Query<z.infer<typeof Waiting>> = one(sql.type(Waiting)`
  SELECT count(*) AS n, min(since) AS oldest FROM pending_moves`)
