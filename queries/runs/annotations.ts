import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { page } from '../../domain/wire.ts'
import { any, constant, mapped, maybeOne, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { idInCursor } from '../tuple-cursor.ts'

// What people added to a run after its upload: a title, a note and tags, which are never part of its document.

const text = z.string().nullable()

const Stored = z.object({
  title: text,
  note: text,
  tags: z.array(z.string()),
  /** Names this state, so that a change can say which one it was made on. */
  revision: z.string(),
  at: z.string(),
})

/** What a run has in addition to its document, and who added it last. `by` is null if that is not known any more. */
export const RunAdded = Stored.extend({ by: text }).meta({ id: 'RunAdded' })
export type RunAdded = z.infer<typeof RunAdded>

/** The columns of `ADDED_JOIN`. */
export const AddedRow = z.object({ added: text, added_by: text })
type AddedRow = z.infer<typeof AddedRow>

export const ADDED_JOIN: Fragment = sql.fragment`LEFT JOIN run_annotated ON run_annotated.run_no = runs.run_no`
export const ADDED_COLUMNS: Fragment = sql.fragment`
  run_annotated.added AS added, (SELECT label FROM principals WHERE principals.id = run_annotated.annotated_by) AS added_by`

/** The JSON text of what was added; null if nothing was. */
export const addedText = ({ added, added_by }: AddedRow): string | null =>
  added === null ? null : `${added.slice(0, -1)},"by":${JSON.stringify(added_by)}}`

/** What was added; undefined if nothing was. */
export const addedOf = (row: AddedRow): RunAdded | undefined => {
  const found = addedText(row)
  // Safe: the projection wrote it.
  return found === null ? undefined : (JSON.parse(found) as RunAdded)
}

const Annotated = RunRow.pick({
  run_no: true,
  id: true,
  created_at: true,
  project: true,
  suite: true,
  git_branch: true,
  git_commit: true,
  note: true,
  tags: true,
  fully_cached: true,
})
const COLUMNS = columnList('runs', Annotated)

/** A visible run with what a change of its annotation needs, or null. */
export const findRunToAnnotate = (
  viewer: Viewer,
  id: string,
): Query<(z.infer<typeof Annotated> & { readonly added: RunAdded | null }) | null> =>
  mapped(
    maybeOne(sql.type(Annotated.extend(AddedRow.shape))`
      SELECT ${COLUMNS}, ${ADDED_COLUMNS} FROM runs ${ADDED_JOIN} WHERE runs.id = ${id} AND ${visible(viewer, 'runs')}`),
    (row) => {
      if (!row) return null
      const { added, added_by, ...run } = row
      return { ...run, added: addedOf({ added, added_by }) ?? null }
    },
  )

const Titled = z.object({ id: z.string(), added: z.string() })

/** The titles that were added to some runs, by the id of the run. Runs that the viewer may not see have none. */
export const listTitles = (viewer: Viewer, ids: readonly string[]): Query<ReadonlyMap<string, string>> =>
  ids.length === 0
    ? constant(new Map())
    : mapped(
        any(sql.type(Titled)`
          SELECT runs.id, run_annotated.added FROM runs JOIN run_annotated ON run_annotated.run_no = runs.run_no
          WHERE runs.id IN (${sql.join(ids, sql.fragment`, `)}) AND ${visible(viewer, 'runs')}`),
        (rows) =>
          new Map(
            rows.flatMap(({ id, added }) => {
              // Safe: the projection wrote it.
              const { title } = JSON.parse(added) as RunAdded
              return title === null ? [] : [[id, title] as const]
            }),
          ),
      )

/** What a run has in addition to its document; null for nothing. */
export const findAdded = (run_no: number): Query<RunAdded | null> =>
  mapped(
    maybeOne(sql.type(AddedRow)`SELECT ${ADDED_COLUMNS} FROM run_annotated WHERE run_no = ${run_no}`),
    (row) => (row && addedOf(row)) ?? null,
  )

export const RunAnnotations = z
  .object({ annotations: z.array(RunAdded), next_cursor: text })
  .meta({ id: 'RunAnnotations' })
export type RunAnnotations = z.infer<typeof RunAnnotations>

/** A page of the changes of a run, the newest first: each as the run was after it. */
export const listAnnotations = (
  run_no: number,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Query<RunAnnotations> => {
  const after = idInCursor(cursor)
  const older =
    after === undefined
      ? sql.fragment`TRUE`
      : sql.fragment`seq < (
          SELECT a.seq FROM run_annotations a WHERE a.annotation_id = ${after} AND a.run_no = ${run_no})`
  return mapped(
    any(sql.type(AddedRow)`
      SELECT added, (SELECT label FROM principals WHERE principals.id = annotated_by) AS added_by FROM run_annotations
      WHERE run_no = ${run_no} AND ${older} ORDER BY seq DESC LIMIT ${limit + 1}`),
    (rows) => {
      const listed = rows.flatMap((row) => addedOf(row) ?? [])
      const { rows: annotations, next_cursor } = page(listed, limit, ({ revision }) => revision)
      return { annotations: [...annotations], next_cursor }
    },
  )
}
