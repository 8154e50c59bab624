import { z } from 'zod'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

const text = z.string().nullable()

/** What other reads need of a run: where its rows and its document lie. */
export const Run = z.object({
  run_no: z.number(),
  id: z.string(),
  project: text,
  suite: text,
  created_at: z.number(),
  document_bytes: z.number(),
  document_sha256: z.string(),
  stored_cases: z.number(),
  largest_asserts: z.number(),
})
export type Run = z.infer<typeof Run>

/** A visible run by its id, or null. */
export const findRun = (viewer: Viewer, id: string): Query<Run | null> =>
  maybeOne(sql.type(Run)`
    SELECT run_no, id, project, suite, created_at, document_bytes, document_sha256, stored_cases, largest_asserts
    FROM runs WHERE id = ${id} AND ${visible(viewer, 'runs')}`)
