import { z } from 'zod'
import { hasWords } from '../../domain/search/has-words.ts'
import { querySnippet } from '../../domain/search/query-snippet.ts'
import { readQuery } from '../../domain/search/query.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { any, perDialect, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { caseNamesOf } from '../runs/comments.ts'
import type { SetFilters } from '../runs/sorted-runs.ts'
import { idInCursor } from '../tuple-cursor.ts'
import { findSeesEverything } from './hidden.ts'

// Comments that contain all words. There is no index of them: a page reads the newest comments below its start, at most
// `MAX_COMMENTS_READ` that the viewer can see, and compares each by the rule of the index. What the viewer may not see is
// not read at all: the time of a page would otherwise grow with it.

export const MAX_COMMENTS_READ = 1_000

const text = z.string().nullable()

/** A comment that contains the words. `case_key` and `case_name` are null if it is on the run itself. */
const CommentHit = z.object({
  id: z.string(),
  run_id: z.string(),
  run_note: text,
  project: text,
  suite: text,
  case_key: text,
  case_name: text,
  /** The text around the words. Matched words are between U+E000 and U+E001. */
  snippet: z.string(),
  at: z.string(),
  by: text,
})
export type CommentHit = z.infer<typeof CommentHit>

/** The newest first. A page may have fewer comments than asked for, or none, and still not be the last. */
export const CommentSearch = z
  .object({ comments: z.array(CommentHit), next_cursor: text })
  .meta({ id: 'CommentSearch' })
export type CommentSearch = z.infer<typeof CommentSearch>

export type CommentSearchRequest = SetFilters & {
  readonly q: string
  readonly limit: number
  readonly cursor?: string | undefined
}

const Row = z.object({
  comment_id: z.string(),
  case_key: text,
  text: z.string(),
  commented_at: z.number(),
  label: text,
  run_no: z.number(),
  id: z.string(),
  note: text,
  project: text,
  suite: text,
  created_at: z.number(),
})
type CommentRow = z.infer<typeof Row>

type Walk = SetFilters & {
  /** Whether all comments are read, whatever their sets. */
  readonly all: boolean
  readonly after: string | undefined
}

/** The newest comments of the sets that the viewer may see: by an index, at most `MAX_COMMENTS_READ` of each set. */
const inVisibleSets = (viewer: Viewer, { project, suite }: SetFilters, below: Fragment) => {
  const known = sql.fragment`SELECT sets.set_key FROM sets WHERE ${sql.and([
    visible(viewer, 'sets'),
    ...(project === undefined ? [] : [sql.fragment`sets.project = ${project}`]),
    ...(suite === undefined ? [] : [sql.fragment`sets.suite = ${suite}`]),
  ])}`
  // Runs in no set cannot be restricted. A key that is limited to a set does not see them.
  const sets = viewer.limit || project !== undefined ? known : sql.fragment`${known} UNION ALL SELECT ''`
  const newest = sql.fragment`
    SELECT x.comment_id FROM run_comments x WHERE x.set_key = s.set_key AND ${below}
    ORDER BY x.comment_id DESC LIMIT ${MAX_COMMENTS_READ}`
  return {
    sqlite: sql.fragment`SELECT c.comment_id FROM (${sets}) s CROSS JOIN run_comments c WHERE c.comment_id IN (${newest})`,
    postgres: sql.fragment`SELECT c.comment_id FROM (${sets}) s CROSS JOIN LATERAL (${newest}) c`,
  }
}

/** The newest comments after a position that the viewer may see, at most `MAX_COMMENTS_READ`. */
export const walkComments = (viewer: Viewer, { all, after, ...filters }: Walk): Query<CommentRow[]> => {
  const below = after === undefined ? sql.fragment`TRUE` : sql.fragment`x.comment_id < ${after}`
  const every = sql.fragment`SELECT x.comment_id FROM run_comments x WHERE ${below}`
  const ids = all ? { sqlite: every, postgres: every } : inVisibleSets(viewer, filters, below)
  const page = (from: Fragment) => sql.type(Row)`
    SELECT run_comments.comment_id, comment_texts.case_key, comment_texts.text, run_comments.commented_at,
      (SELECT label FROM principals WHERE principals.id = run_comments.commented_by) AS label,
      runs.run_no, runs.id, runs.note, runs.project, runs.suite, runs.created_at
    FROM (SELECT comment_id FROM (${from}) found ORDER BY comment_id DESC LIMIT ${MAX_COMMENTS_READ}) place
      CROSS JOIN run_comments CROSS JOIN comment_texts CROSS JOIN runs
    WHERE run_comments.comment_id = place.comment_id AND comment_texts.comment_id = place.comment_id
      AND runs.run_no = run_comments.run_no
    ORDER BY place.comment_id DESC`
  return any(perDialect(page(ids.sqlite), page(ids.postgres)))
}

/** A page of the comments that contain all words of `q`, on runs that the viewer may see. */
export const searchComments = async (
  reader: Reader,
  viewer: Viewer,
  { q, project, suite, limit, cursor }: CommentSearchRequest,
): Promise<CommentSearch> => {
  const query = readQuery(q)
  if (query.wanted.length === 0) return { comments: [], next_cursor: null }
  const all = project === undefined && suite === undefined && (await reader.read(findSeesEverything(viewer)))
  const rows = await reader.read(walkComments(viewer, { all, after: idInCursor(cursor), project, suite }))
  const found: CommentRow[] = []
  let read = 0
  while (read < rows.length && found.length < limit) {
    const row = rows[read++]
    // Comments on runs in no set are read whatever the suite of the run.
    if (row && (suite === undefined || row.suite === suite) && hasWords(row.text, query)) found.push(row)
  }
  const isLast = read === rows.length && rows.length < MAX_COMMENTS_READ
  const nameOf = await caseNamesOf(reader, found)
  return {
    comments: found.map((row) => ({
      id: row.comment_id,
      run_id: row.id,
      run_note: row.note,
      project: row.project,
      suite: row.suite,
      case_key: row.case_key,
      case_name: nameOf(row),
      snippet: querySnippet([row.text], query).toWellFormed(),
      at: rfc3339(row.commented_at),
      by: row.label,
    })),
    next_cursor: isLast ? null : (rows[read - 1]?.comment_id ?? null),
  }
}
