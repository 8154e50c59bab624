import { z } from 'zod'
import { PART_ROLES } from '../../domain/evidence/manifest.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

// The evidence of runs. No part is read without a run that the viewer can see.

const nullable = z.string().nullable()

const EvidenceRow = z.object({
  seq: z.number(),
  with_run: z.number(),
  manifest_sha256: z.string(),
  manifest_bytes: z.number(),
  part_count: z.number(),
  part_bytes: z.number(),
  attached_at: z.number(),
})
/** A manifest of a run. */
export type RunEvidence = z.infer<typeof EvidenceRow>

/** The manifests of a run, the oldest first. `run_no` must come from a query with a viewer. */
export const listEvidence = (run_no: number): Query<RunEvidence[]> =>
  any(sql.type(EvidenceRow)`
    SELECT seq, with_run, manifest_sha256, manifest_bytes, part_count, part_bytes, attached_at
    FROM run_evidence WHERE run_no = ${run_no} ORDER BY seq`)

/** The number of a manifest by its place in the list: 0 is the one that came with the upload, and later ones begin with 1. */
export const numberOfEvidence = (evidence: ReadonlyArray<Pick<RunEvidence, 'with_run'>>, index: number): number =>
  evidence[0]?.with_run === 1 ? index : index + 1

const KeyRow = z.object({ case_key: z.string() })

/** The keys of the cases of a run. */
export const listCaseKeys = (run_no: number): Query<ReadonlySet<string>> =>
  mapped(
    any(sql.type(KeyRow)`SELECT case_key FROM cases WHERE run_no = ${run_no}`),
    (rows) => new Set(rows.map(({ case_key }) => case_key)),
  )

const StoredRow = z.object({ run_no: z.number(), part_no: z.number(), bytes: z.number() })

/** The stored copy of a part of a run that the viewer can see, or null. */
export const findRunPart = (viewer: Viewer, run_id: string, sha256: string): Query<z.infer<typeof StoredRow> | null> =>
  maybeOne(sql.type(StoredRow)`
    SELECT run_parts.run_no, run_parts.part_no, parts.bytes
    FROM runs JOIN run_parts ON run_parts.run_no = runs.run_no JOIN parts ON parts.part_no = run_parts.part_no
    WHERE runs.id = ${run_id} AND run_parts.sha256 = ${sha256} AND ${visible(viewer, 'runs')}`)

const NameRow = z.object({ name: nullable })

/** The first name that the manifests of a run give a part, or null. */
export const findPartName = (run_no: number, sha256: string): Query<string | null> =>
  mapped(
    any(sql.type(NameRow)`
      SELECT name FROM case_parts WHERE run_no = ${run_no} AND sha256 = ${sha256} AND name IS NOT NULL
      ORDER BY seq, n LIMIT 1`),
    (rows) => rows[0]?.name ?? null,
  )

/** A part, as the manifests of a run list it. */
export const EvidencePart = z
  .object({
    sha256: z.string(),
    bytes: z.int(),
    role: z.enum(PART_ROLES),
    case_key: nullable.meta({ description: 'Null for what belongs to the whole run' }),
    name: nullable,
    media_type: nullable.meta({ description: 'What the manifest says; the type of the bytes may be another one' }),
    from: z.object({ sha256: nullable, path: nullable }).nullable(),
  })
  .meta({ id: 'EvidencePart' })
export type EvidencePart = z.infer<typeof EvidencePart>

const PartRow = z.object({
  sha256: z.string(),
  bytes: z.number(),
  role: z.enum(PART_ROLES),
  case_key: nullable,
  name: nullable,
  media_type: nullable,
  from_sha256: nullable,
  from_path: nullable,
})

const partOf = ({ from_sha256, from_path, ...part }: z.infer<typeof PartRow>): EvidencePart => ({
  ...part,
  from: from_sha256 === null && from_path === null ? null : { sha256: from_sha256, path: from_path },
})

const PART_COLUMNS = sql.fragment`sha256, bytes, role, case_key, name, media_type, from_sha256, from_path`

/** The parts of a case, in the order of the manifests. */
export const listCaseParts = (run_no: number, case_key: string): Query<EvidencePart[]> =>
  mapped(
    any(sql.type(PartRow)`
      SELECT ${PART_COLUMNS} FROM case_parts WHERE run_no = ${run_no} AND case_key = ${case_key} ORDER BY seq, n`),
    (rows) => rows.map(partOf),
  )

/** The parts that are of the whole run, in the order of the manifests. */
export const listOriginals = (run_no: number): Query<EvidencePart[]> =>
  mapped(
    any(sql.type(PartRow)`
      SELECT ${PART_COLUMNS} FROM case_parts WHERE run_no = ${run_no} AND case_key IS NULL
      ORDER BY seq, n LIMIT ${MAX_ORIGINALS}`),
    (rows) => rows.map(partOf),
  )
const MAX_ORIGINALS = 1000

/** A manifest of a run, as the list of its evidence has it. */
const EvidenceItem = z
  .object({
    n: z.int().meta({ description: '0 for what came with the upload, from 1 for what was added later' }),
    manifest_sha256: z.string(),
    manifest_bytes: z.int(),
    part_count: z.int(),
    part_bytes: z.int(),
    attached_at: z.string(),
  })
  .meta({ id: 'EvidenceItem' })
export const EvidenceList = z
  .object({
    evidence: z.array(EvidenceItem),
    originals: z
      .array(EvidencePart)
      .meta({ description: 'The files that the run was imported from, at most 1,000; other parts are of cases' }),
  })
  .meta({ id: 'EvidenceList' })

export type EvidenceFiles = z.infer<typeof EvidenceList>

/** The evidence of a run as its list has it. */
export const evidenceItems = (evidence: readonly RunEvidence[]): z.infer<typeof EvidenceItem>[] =>
  evidence.map(({ manifest_sha256, manifest_bytes, part_count, part_bytes, attached_at }, i) => ({
    n: numberOfEvidence(evidence, i),
    manifest_sha256,
    manifest_bytes,
    part_count,
    part_bytes,
    attached_at: rfc3339(attached_at),
  }))
