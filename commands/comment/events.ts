import { z } from 'zod'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { maybeOne, sql, statement } from '../../storage/sql.ts'
import type { Query, Statement } from '../../storage/storage.ts'
import { saltedDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'

const CommentText = z.object({ case_key: z.string().nullable(), text: z.string() })

/** What is stored of a comment next to the log. `case_key` is null for a comment on the run itself. */
export type CommentText = Readonly<z.infer<typeof CommentText>>

type CommentData = {
  readonly comment_id: string
  readonly project: string | null
  readonly run_no: number
  readonly suite: string | null
}

/**
 * In the stream of the run, `run/<id>`: a comment on it or on one of its cases. The text and the key of the case are prose, so the
 * event has only their salted digest. `attached` is null when they were deleted.
 */
export type RunCommented = NewEvent<'RunCommented', CommentData & { readonly text_sha256: string }> & {
  readonly attached?: CommentText | null
}

/** In the stream of the run: its author or an admin deleted a comment. */
export type CommentDeleted = NewEvent<'CommentDeleted', CommentData>

export type CommentEvent = RunCommented | CommentDeleted

const shared = { change: 'run', erasure: 'facts', digests: true, projections: ['comments'] } as const
export const COMMENT_EVENTS = {
  RunCommented: { ...shared, tags: ({ stream }) => [stream] },
  CommentDeleted: { ...shared, tags: ({ stream }) => [stream] },
} as const satisfies EventTypes<CommentEvent>

/** The part of the digested text before the text of the comment. With its length, no key looks like the beginning of a text. */
const place = (case_key: string | null): string =>
  case_key === null ? 'run' : `case ${[...case_key].length} ${case_key}`

export const runCommented = (run_id: string, data: CommentData, comment: CommentText, salt: string): RunCommented => {
  const { case_key, text } = comment
  return {
    ...event(streamOf('run', run_id), 'RunCommented', {
      ...data,
      text_sha256: saltedDigest(salt, place(case_key), text),
    }),
    attached: comment,
    statements: [
      statement`
        INSERT INTO comment_texts (comment_id, run_no, case_key, text, salt)
        VALUES (${data.comment_id}, ${data.run_no}, ${case_key}, ${text}, ${salt})`,
    ],
  }
}

export const commentDeleted = (run_id: string, data: CommentData): CommentDeleted => ({
  ...event(streamOf('run', run_id), 'CommentDeleted', data),
  statements: [deleteCommentText(data.comment_id)],
})

/** The text of a row of `comment_texts` whose digest is in the event: as `runCommented` makes it. */
export const commentText = sql.fragment`
  salt || ' ' || CASE WHEN case_key IS NULL THEN 'run' ELSE 'case ' || length(case_key) || ' ' || case_key END || ' ' || text`

/** What is stored of a comment; null if it was deleted. */
export const findCommentText = (comment_id: string): Query<CommentText | null> =>
  maybeOne(sql.type(CommentText)`SELECT case_key, text FROM comment_texts WHERE comment_id = ${comment_id}`)

/** Deletes a comment with its salt: the digest in the log means nothing then. */
export const deleteCommentText = (comment_id: string): Statement =>
  statement`DELETE FROM comment_texts WHERE comment_id = ${comment_id}`

/** Deletes all comments on a run and its cases. */
export const deleteCommentsOf = (run_no: number): Statement =>
  statement`DELETE FROM comment_texts WHERE run_no = ${run_no}`
