import { z } from 'zod'
import { any, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

const CaseTranscript = z.object({
  sha256: z.string(),
  name: z.string().nullable(),
  part_no: z.number(),
  bytes: z.number(),
})
/** A transcript of a case, with its stored copy. */
export type CaseTranscript = z.infer<typeof CaseTranscript>

/** Which case of a run. */
export type CaseName = { readonly run_id: string; readonly case_key: string }

/** The transcripts of a case of a run that the viewer can see, in the order of the manifests. */
export const listCaseTranscripts = (viewer: Viewer, { run_id, case_key }: CaseName): Query<CaseTranscript[]> =>
  any(sql.type(CaseTranscript)`
    SELECT case_parts.sha256, case_parts.name, run_parts.part_no, parts.bytes
    FROM runs JOIN case_parts ON case_parts.run_no = runs.run_no
      JOIN run_parts ON run_parts.run_no = runs.run_no AND run_parts.sha256 = case_parts.sha256
      JOIN parts ON parts.part_no = run_parts.part_no
    WHERE runs.id = ${run_id} AND case_parts.case_key = ${case_key} AND case_parts.role = 'transcript'
      AND ${visible(viewer, 'runs')}
    ORDER BY case_parts.seq, case_parts.n`)

/** The transcript that was asked for by its digest, or the first. */
export const chosenTranscript = (transcripts: readonly CaseTranscript[], sha256: unknown): CaseTranscript | undefined =>
  sha256 ? transcripts.find((each) => each.sha256 === sha256) : transcripts[0]
