import { z } from 'zod'
import type { ExportedComment } from '../../domain/report/exporter.ts'
import { historyKey } from '../../domain/run/history-key.ts'
import { orNull, page, rfc3339 } from '../../domain/wire.ts'
import { any, mapped, maybeOne, numberList, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { reaches, type Viewer } from '../access/viewer.ts'
import { idInCursor } from '../tuple-cursor.ts'
import type { Run } from './run.ts'

// What people said about runs and their cases.

const nullable = z.string().nullable()

/**
 * A comment. `case_key` and `case_name` are null if it is on the run itself, and `by` if it is not known any more. A case without a
 * name has the id of its test as `case_name`.
 */
export const Comment = z
  .object({
    id: z.string(),
    case_key: nullable,
    case_name: nullable,
    text: z.string(),
    at: z.string(),
    by: nullable,
    may_delete: z.boolean(),
  })
  .meta({ id: 'Comment' })
export type Comment = z.infer<typeof Comment>

/** `total` is the number of comments on all pages. */
export const CommentList = z
  .object({ comments: z.array(Comment), total: z.int(), next_cursor: nullable })
  .meta({ id: 'CommentList' })
export type CommentList = z.infer<typeof CommentList>

const Count = z.object({ n: z.number() })

const countOf = (where: Fragment): Query<number> =>
  mapped(one(sql.type(Count)`SELECT count(*) AS n FROM comment_texts WHERE ${where}`), ({ n }) => n)

// Counts read only what is next to the log, so they are known also while the read model of comments is being built.

/** The number of comments on a run and its cases, or on one case. */
export const countComments = (run_no: number, case_key: string | null = null): Query<number> =>
  countOf(
    case_key === null ? sql.fragment`run_no = ${run_no}` : sql.fragment`run_no = ${run_no} AND case_key = ${case_key}`,
  )

/** The number of comments on a run, of which only the id is known, and its cases. */
export const countCommentsOfRun = (run_id: string): Query<number> =>
  countOf(sql.fragment`run_no = (SELECT run_no FROM runs WHERE id = ${run_id})`)

/** The same of those comments that the read model has. */
export const countListedComments = (run_no: number): Query<number> =>
  mapped(one(sql.type(Count)`SELECT count(*) AS n FROM run_comments WHERE run_no = ${run_no}`), ({ n }) => n)

/** The run and the author of a comment, or null. */
export const findCommentAuthor = (
  comment_id: string,
): Query<{ readonly run_no: number; readonly commented_by: string | null } | null> =>
  maybeOne(sql.type(z.object({ run_no: z.number(), commented_by: nullable }))`
    SELECT run_no, commented_by FROM run_comments WHERE comment_id = ${comment_id}`)

const Row = z.object({
  comment_id: z.string(),
  case_key: nullable,
  text: z.string(),
  commented_at: z.number(),
  commented_by: nullable,
  label: nullable,
})

/** A run as its comments need it. */
type CommentedRun = Pick<Run, 'run_no' | 'project' | 'suite' | 'created_at'>

const NameRow = z.object({ case_key: z.string(), name: nullable, test_id: nullable })

/** What some cases of a run are called. */
const findCaseNames = (
  { run_no, project, suite, created_at }: CommentedRun,
  case_keys: readonly string[],
): Query<ReadonlyMap<string, string | null>> => {
  const keys = numberList(case_keys.map((case_key) => historyKey(project, suite, case_key)))
  return mapped(
    any(sql.type(NameRow)`
      SELECT case_key, name, test_id FROM cases
      WHERE history_key IN (${keys}) AND created_at = ${created_at} AND run_no = ${run_no}`),
    (rows) => new Map(rows.map(({ case_key, name, test_id }) => [case_key, orNull(name) ?? test_id])),
  )
}

/** The names of the cases that some comments are on, as a function of such a comment; null for one on the run itself. */
export const caseNamesOf = async <C extends CommentedRun & { readonly case_key: string | null }>(
  reader: Reader,
  comments: readonly C[],
): Promise<(comment: C) => string | null> => {
  const named = new Map<number, ReadonlyMap<string, string | null>>()
  for (const [run_no, [run, ...others]] of Map.groupBy(comments, (comment) => comment.run_no)) {
    const keys = [...new Set([run, ...others].flatMap((comment) => comment?.case_key ?? []))]
    if (run && keys.length > 0) named.set(run_no, await reader.read(findCaseNames(run, keys)))
  }
  return ({ run_no, case_key }) => (case_key === null ? null : (named.get(run_no)?.get(case_key) ?? null))
}

/** Whether the server asks for no credentials: then every caller is like an admin. */
export type OpenServer = { readonly isOpen: boolean }

/** Comments as their viewer gets them: their author and admins may delete them. */
const shownComments = async (
  reader: Reader,
  { actor: { user_id, credential_id, scope } }: Viewer,
  run: CommentedRun,
  rows: ReadonlyArray<z.infer<typeof Row>>,
  { isOpen }: OpenServer,
): Promise<Comment[]> => {
  const nameOf = await caseNamesOf(
    reader,
    rows.map(({ case_key }) => ({ ...run, case_key })),
  )
  return rows.map(({ comment_id, case_key, text, commented_at, commented_by, label }) => ({
    id: comment_id,
    case_key,
    case_name: nameOf({ ...run, case_key }),
    text,
    at: rfc3339(commented_at),
    by: label,
    may_delete:
      isOpen ||
      reaches(scope, 'admin') ||
      (reaches(scope, 'write') && commented_by !== null && commented_by === (user_id ?? credential_id)),
  }))
}

const SELECT = sql.fragment`
  SELECT run_comments.comment_id, comment_texts.case_key, comment_texts.text, run_comments.commented_at, run_comments.commented_by,
    (SELECT label FROM principals WHERE principals.id = run_comments.commented_by) AS label
  FROM run_comments JOIN comment_texts ON comment_texts.comment_id = run_comments.comment_id`

/** One comment on a run, or null. */
export const readComment = async (
  reader: Reader,
  viewer: Viewer,
  run: CommentedRun,
  { comment_id, isOpen }: { readonly comment_id: string } & OpenServer,
): Promise<Comment | null> => {
  const row = await reader.read(
    maybeOne(sql.type(Row)`
      ${SELECT} WHERE run_comments.comment_id = ${comment_id} AND run_comments.run_no = ${run.run_no}`),
  )
  return row === null ? null : ((await shownComments(reader, viewer, run, [row], { isOpen }))[0] ?? null)
}

/** A page of the comments on a run and its cases, or on one case, the newest first. */
export const listComments = async (
  reader: Reader,
  viewer: Viewer,
  run: CommentedRun,
  {
    case_key = null,
    limit,
    cursor,
    isOpen,
  }: {
    readonly case_key?: string | null | undefined
    readonly limit: number
    readonly cursor?: string | undefined
  } & OpenServer,
): Promise<CommentList> => {
  const { run_no } = run
  const after = idInCursor(cursor)
  const conditions = [
    sql.fragment`run_comments.run_no = ${run_no}`,
    ...(case_key === null ? [] : [sql.fragment`comment_texts.case_key = ${case_key}`]),
    ...(after === undefined
      ? []
      : [
          // If that comment was deleted meanwhile, the page starts with those that are older by their ids.
          sql.fragment`run_comments.seq < coalesce(
            (SELECT c.seq FROM run_comments c WHERE c.comment_id = ${after} AND c.run_no = ${run_no}),
            (SELECT max(c.seq) + 1 FROM run_comments c WHERE c.comment_id < ${after} AND c.run_no = ${run_no}))`,
        ]),
  ]
  const { rows, total } = await reader.readAll({
    rows: any(sql.type(Row)`${SELECT} WHERE ${sql.and(conditions)} ORDER BY run_comments.seq DESC LIMIT ${limit + 1}`),
    total: countComments(run_no, case_key),
  })
  const listed = page(rows, limit, ({ comment_id }) => comment_id)
  return {
    comments: await shownComments(reader, viewer, run, listed.rows, { isOpen }),
    total,
    next_cursor: listed.next_cursor,
  }
}

const IdRow = z.object({ comment_id: z.string() })

/** The ids of the comments on a run and its cases, at most as many as a run can have. */
export const listCommentIds = (run_no: number): Query<string[]> =>
  mapped(
    any(sql.type(IdRow)`SELECT comment_id FROM comment_texts WHERE run_no = ${run_no} ORDER BY comment_id`),
    (rows) => rows.map(({ comment_id }) => comment_id),
  )

/** Those comments of a run that have one of the ids, the oldest first. */
export const listExportedComments = async (
  reader: Reader,
  run_no: number,
  ids: ReadonlySet<string>,
): Promise<ExportedComment[]> => {
  const rows = await reader.read(
    any(sql.type(Row)`${SELECT} WHERE run_comments.run_no = ${run_no} ORDER BY run_comments.seq`),
  )
  return rows
    .filter(({ comment_id }) => ids.has(comment_id))
    .map(({ comment_id, case_key, text, commented_at, label }) => ({
      id: comment_id,
      case_key,
      text,
      at: rfc3339(commented_at),
      by: label,
    }))
}
