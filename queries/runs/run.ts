import type { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'

/** The columns of a run that other reads need, for example to find its cases and its document. */
const Run = RunRow.pick({
  run_no: true,
  id: true,
  project: true,
  suite: true,
  note: true,
  created_at: true,
  document_bytes: true,
  document_sha256: true,
  stored_cases: true,
  hidden_cases: true,
  largest_asserts: true,
})
export type Run = z.infer<typeof Run>
const COLUMNS = columnList('runs', Run)

/** A visible run by its id, or null. */
export const findRun = (viewer: Viewer, id: string): Query<Run | null> =>
  maybeOne(sql.type(Run)`
    SELECT ${COLUMNS} FROM runs WHERE id = ${id} AND ${visible(viewer, 'runs')}`)
