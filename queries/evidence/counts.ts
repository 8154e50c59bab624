import { z } from 'zod'
import { mapped, one, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { unlessBeingBuilt } from '../reviews/judges.ts'

/** How much evidence there is: parts, each once, and their bytes. */
export const EvidenceCounts = z.object({ parts: z.int(), bytes: z.int() }).meta({ id: 'EvidenceCounts' })
export type EvidenceCounts = z.infer<typeof EvidenceCounts>

/** The same of a case, and how many of its parts are transcripts. */
export const CaseEvidenceCounts = EvidenceCounts.extend({ transcripts: z.int() }).meta({ id: 'CaseEvidenceCounts' })
export type CaseEvidenceCounts = z.infer<typeof CaseEvidenceCounts>

/** The columns from which a run has its counts. */
export const EvidenceCountsRow = z.object({ evidence_parts: z.number(), evidence_bytes: z.number().nullable() })

// They read only what is next to the log, so they are known also while the read model of evidence is being built.

/** The counts of the evidence of `runs`, without manifests. */
export const EVIDENCE_COLUMNS = sql.fragment`
  (SELECT count(*) FROM run_parts WHERE run_parts.run_no = runs.run_no AND run_parts.manifest = 0) AS evidence_parts,
  (SELECT sum(parts.bytes) FROM run_parts JOIN parts ON parts.part_no = run_parts.part_no
   WHERE run_parts.run_no = runs.run_no AND run_parts.manifest = 0) AS evidence_bytes`

/** The counts of a run; null if it has no evidence. */
export const evidenceOf = ({
  evidence_parts,
  evidence_bytes,
}: z.infer<typeof EvidenceCountsRow>): EvidenceCounts | null =>
  evidence_parts === 0 ? null : { parts: evidence_parts, bytes: evidence_bytes ?? 0 }

/** The JSON text of a case with the counts of its evidence, which are in no document. */
export const withEvidence = (text: string, evidence: CaseEvidenceCounts | null): string =>
  evidence === null ? text : `{"evidence":${JSON.stringify(evidence)},${text.slice(1)}`

const CaseRow = z.object({ parts: z.number(), bytes: z.number().nullable(), transcripts: z.number().nullable() })

/** The evidence of a case of a run that the viewer can see; null if it has none, or while the read model is being built. */
export const readCaseEvidence = (
  reader: Reader,
  viewer: Viewer,
  run_id: string,
  case_key: string,
): Promise<CaseEvidenceCounts | null> =>
  unlessBeingBuilt(
    reader.read(
      mapped(
        one(sql.type(CaseRow)`
          SELECT count(*) AS parts, sum(part.bytes) AS bytes, sum(part.is_transcript) AS transcripts FROM (
            SELECT case_parts.sha256, case_parts.bytes,
              max(CASE WHEN case_parts.role = 'transcript' THEN 1 ELSE 0 END) AS is_transcript
            FROM runs JOIN case_parts ON case_parts.run_no = runs.run_no
            WHERE runs.id = ${run_id} AND case_parts.case_key = ${case_key} AND ${visible(viewer, 'runs')}
            GROUP BY case_parts.sha256, case_parts.bytes) part`),
        ({ parts, bytes, transcripts }) =>
          parts === 0 ? null : { parts, bytes: bytes ?? 0, transcripts: transcripts ?? 0 },
      ),
    ),
    () => null,
  )

const EndRow = z.object({ parts: z.number(), shared_parts: z.number(), objects: z.number() })

/** What the end of a run does to its parts. */
export type PartsEnd = {
  /** Parts that go with it, and those that stay because another run has them. */
  readonly parts: number
  readonly shared_parts: number
  /** Objects of the former: their keys go at once, their bytes afterwards. */
  readonly objects: number
}

export const NO_PARTS_END: PartsEnd = { parts: 0, shared_parts: 0, objects: 0 }

/** What happens to the parts of a run, manifests not counted, when it ends. Its id comes from a query with a viewer. */
export const findPartsEnd = (run_id: string): Query<PartsEnd> => {
  const own = sql.fragment`
    SELECT run_parts.part_no, run_parts.manifest,
      CASE WHEN EXISTS (
        SELECT 1 FROM run_parts other WHERE other.part_no = run_parts.part_no AND other.run_no <> run_parts.run_no
      ) THEN 1 ELSE 0 END AS is_shared
    FROM run_parts JOIN runs ON runs.run_no = run_parts.run_no
    WHERE runs.id = ${run_id}`
  return one(sql.type(EndRow)`
      WITH own AS (${own})
      SELECT
        (SELECT count(*) FROM own WHERE manifest = 0 AND is_shared = 0) AS parts,
        (SELECT count(*) FROM own WHERE manifest = 0 AND is_shared = 1) AS shared_parts,
        (SELECT count(*) FROM part_objects JOIN own ON own.part_no = part_objects.part_no
          WHERE own.is_shared = 0 AND part_objects.start IS NULL)
        + (SELECT count(*) FROM run_objects JOIN runs ON runs.run_no = run_objects.run_no WHERE runs.id = ${run_id}) AS objects`)
}
