import { z } from 'zod'
import { any, mapped, maybeOne, one, perDialect, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { wantedDigests } from '../../storage/objects/rows.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

// Which parts a caller may name: those that it sent itself and that no run names yet, and those of runs that it can see.

/** Who staged a part: the account, or the token; all callers without a credential are one. */
export const stagedBy = ({ actor: { user_id, credential_id, kind } }: Viewer): string =>
  user_id ?? credential_id ?? kind

const StagedRow = z.object({ part_no: z.number(), bytes: z.number(), complete: z.number() })
/** A part that was sent, wholly or in part. */
export type StagedPart = z.infer<typeof StagedRow>

/** What the viewer has sent of a part that no run names, or null. */
export const findStaged = (viewer: Viewer, sha256: string): Query<StagedPart | null> =>
  maybeOne(sql.type(StagedRow)`
    SELECT part_no, bytes, complete FROM staged_parts WHERE actor = ${stagedBy(viewer)} AND sha256 = ${sha256}`)

const AmongRow = StagedRow.extend({ sha256: z.string(), object_id: z.string().nullable() })

/** What the viewer has sent of some parts that no run names, by their digests, with the objects of those. */
export const listStagedAmong = (
  viewer: Viewer,
  digests: readonly string[],
): Query<ReadonlyMap<string, StagedPart & { readonly objects: readonly string[] }>> => {
  const list = wantedDigests(digests)
  const token = (wanted: Fragment) => sql.type(AmongRow)`
    SELECT staged_parts.sha256, staged_parts.part_no, staged_parts.bytes, staged_parts.complete, part_objects.object_id
    FROM ${wanted} wanted
      JOIN staged_parts ON staged_parts.actor = ${stagedBy(viewer)} AND staged_parts.sha256 = wanted.sha256
      LEFT JOIN part_objects ON part_objects.part_no = staged_parts.part_no`
  return mapped(any(perDialect(token(list.sqlite), token(list.postgres))), (rows) => {
    const staged = new Map<string, StagedPart & { readonly objects: string[] }>()
    for (const { sha256, object_id, ...part } of rows) {
      const known = staged.get(sha256) ?? { ...part, objects: [] }
      if (object_id !== null) known.objects.push(object_id)
      staged.set(sha256, known)
    }
    return staged
  })
}

const PieceRow = z.object({ n: z.number(), bytes: z.number(), object_id: z.string() })

/** The pieces of a part that the viewer has sent and no run names, in order. */
export const listStagedPieces = (viewer: Viewer, sha256: string): Query<z.infer<typeof PieceRow>[]> =>
  any(sql.type(PieceRow)`
    SELECT part_objects.n, part_objects.bytes, part_objects.object_id
    FROM staged_parts JOIN part_objects ON part_objects.part_no = staged_parts.part_no
    WHERE staged_parts.actor = ${stagedBy(viewer)} AND staged_parts.sha256 = ${sha256} ORDER BY part_objects.n`)

const TotalsRow = z.object({ parts: z.number(), bytes: z.number() })

/** How much the viewer has staged. */
export const countStaged = (viewer: Viewer): Query<z.infer<typeof TotalsRow>> =>
  one(sql.type(TotalsRow)`
    SELECT count(*) AS parts, coalesce(sum(bytes), 0) AS bytes FROM staged_parts WHERE actor = ${stagedBy(viewer)}`)

/**
 * How much the viewer has staged, before it begins to send a part. Nothing is counted, and zero returned, if it has begun: only a new part
 * can be too much.
 */
export const findStagedBefore = (viewer: Viewer, sha256: string): Query<z.infer<typeof TotalsRow>> =>
  one(sql.type(TotalsRow)`
    SELECT count(*) AS parts, coalesce(sum(staged_parts.bytes), 0) AS bytes
    FROM (
      SELECT 1 AS n WHERE NOT EXISTS (
        SELECT 1 FROM staged_parts begun WHERE begun.actor = ${stagedBy(viewer)} AND begun.sha256 = ${sha256})) new_part
      CROSS JOIN staged_parts
    WHERE staged_parts.actor = ${stagedBy(viewer)}`)

// The parts of a run that are in its objects have the negative number of its set: they are in no range of sets, so no other run may name them.
// Their bytes end with the run.

/** Ranges of the numbers of sets that the viewer can see, as large as possible. */
const seenSets = (viewer: Viewer): Fragment => sql.fragment`
  SELECT min(set_no) AS first_no, max(set_no) AS last_no
  FROM (
    SELECT set_no, is_seen, sum(1 - is_seen) OVER (ORDER BY set_no) AS hidden_before
    FROM (SELECT set_no, CASE WHEN ${visible(viewer, 'part_sets')} THEN 1 ELSE 0 END AS is_seen FROM part_sets) marked
  ) counted
  WHERE is_seen = 1 GROUP BY hidden_before`

/**
 * A stored copy of the part `wanted.sha256` that a run of the ranges `seen` has, or null. Rows between the ranges are not touched, so the
 * time does not depend on them.
 */
const copyOfSeenRun = sql.fragment`(
  SELECT copies.part_no
  FROM (
    SELECT (
      SELECT run_parts.part_no FROM run_parts
      WHERE run_parts.sha256 = wanted.sha256 AND run_parts.set_no >= seen.first_no AND run_parts.set_no <= seen.last_no
      ORDER BY run_parts.set_no, run_parts.part_no LIMIT 1
    ) AS part_no
    FROM seen
  ) copies
  WHERE copies.part_no IS NOT NULL LIMIT 1)`

const WantedRow = z.object({ sha256: z.string() })

/** Those of some digests that the viewer would have to send before it names them. */
export const listMissing = (viewer: Viewer, digests: readonly string[]): Query<string[]> => {
  const list = wantedDigests(digests)
  const token = (wanted: Fragment) => sql.type(WantedRow)`
    WITH seen AS MATERIALIZED (${seenSets(viewer)})
    SELECT wanted.sha256 FROM ${wanted} wanted
    WHERE NOT EXISTS (
        SELECT 1 FROM staged_parts
        WHERE staged_parts.actor = ${stagedBy(viewer)} AND staged_parts.sha256 = wanted.sha256 AND staged_parts.complete = 1)
      AND ${copyOfSeenRun} IS NULL`
  return mapped(any(perDialect(token(list.sqlite), token(list.postgres))), (rows) => {
    const unknown = new Set(rows.map(({ sha256 }) => sha256))
    return digests.filter((sha256) => unknown.has(sha256))
  })
}

const SourceRow = z.object({
  sha256: z.string(),
  part_no: z.number(),
  bytes: z.number(),
  is_staged: z.number(),
})

/** The stored copies of a part that a viewer may name: its own, and one of a run that it can see. */
export type NamedPart = {
  readonly bytes: number
  readonly staged: number | null
  readonly ofRun: number | null
}

/**
 * The stored copies of parts that the viewer may name, by their digests: for a run that is there, which the viewer can see, also those in the objects of
 * that run.
 */
export const findNamedParts = (
  viewer: Viewer,
  digests: readonly string[],
  run_no: number | null = null,
): Query<ReadonlyMap<string, NamedPart>> => {
  const wanted = wantedDigests(digests)
  const copy =
    run_no === null
      ? copyOfSeenRun
      : sql.fragment`coalesce(
          (SELECT run_parts.part_no FROM run_parts WHERE run_parts.run_no = ${run_no} AND run_parts.sha256 = wanted.sha256),
          ${copyOfSeenRun})`
  const token = (list: Fragment) => sql.type(SourceRow)`
    WITH seen AS MATERIALIZED (${seenSets(viewer)})
    SELECT wanted.sha256, staged_parts.part_no, staged_parts.bytes, 1 AS is_staged
    FROM ${list} wanted JOIN staged_parts
      ON staged_parts.actor = ${stagedBy(viewer)} AND staged_parts.sha256 = wanted.sha256 AND staged_parts.complete = 1
    UNION ALL
    SELECT found.sha256, found.part_no, parts.bytes, 0 AS is_staged
    FROM (SELECT wanted.sha256, ${copy} AS part_no FROM ${list} wanted) found
      JOIN parts ON parts.part_no = found.part_no`
  return mapped(any(perDialect(token(wanted.sqlite), token(wanted.postgres))), (rows) => {
    const named = new Map<string, NamedPart>()
    for (const { sha256, part_no, bytes, is_staged } of rows) {
      const known = named.get(sha256) ?? { bytes, staged: null, ofRun: null }
      named.set(sha256, is_staged === 1 ? { ...known, staged: part_no } : { ...known, ofRun: part_no })
    }
    return named
  })
}

const DigestRow = z.object({ sha256: z.string(), manifest: z.number() })

/** The digests of the parts that a run names, with 1 for a manifest that no manifest lists. */
export const listDigestsOfRun = (run_no: number): Query<ReadonlyMap<string, number>> =>
  mapped(
    any(sql.type(DigestRow)`SELECT sha256, manifest FROM run_parts WHERE run_no = ${run_no}`),
    (rows) => new Map(rows.map(({ sha256, manifest }) => [sha256, manifest])),
  )

const BytesRow = z.object({ bytes: z.number().nullable() })

/** The bytes of the parts of a run together, without its manifests. */
export const findPartBytesOfRun = (run_no: number): Query<number> =>
  mapped(
    one(sql.type(BytesRow)`
      SELECT sum(parts.bytes) AS bytes FROM run_parts JOIN parts ON parts.part_no = run_parts.part_no
      WHERE run_parts.run_no = ${run_no} AND run_parts.manifest = 0`),
    ({ bytes }) => bytes ?? 0,
  )

/** The set of a run among those with parts. */
export type PartSet = { readonly set_no: number; readonly isNew: boolean }

const SetRow = z.object({ known: z.number().nullable(), last: z.number() })

/** The number of a set among those with parts: its own, or the next one. */
export const findPartSet = (project: string | null, suite: string | null): Query<PartSet> =>
  mapped(
    one(sql.type(SetRow)`
      SELECT
        (SELECT set_no FROM part_sets WHERE ${isSame('project', project)} AND ${isSame('suite', suite)}) AS known,
        (SELECT coalesce(max(set_no), 0) FROM part_sets) AS last`),
    ({ known, last }) => ({ set_no: known ?? last + 1, isNew: known === null }),
  )

const isSame = (column: string, value: string | null): Fragment =>
  value === null
    ? sql.fragment`${sql.identifier(['part_sets', column])} IS NULL`
    : sql.fragment`${sql.identifier(['part_sets', column])} = ${value}`
