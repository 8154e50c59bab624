import { z } from 'zod'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { mapped, maybeOne, sql, statement } from '../../storage/sql.ts'
import type { Query, Statement } from '../../storage/storage.ts'
import { saltedDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { invalidatedSet, RUNS } from '../tags.ts'

/** What people added to a run. `tags` has none that the document has, and is sorted. */
export type Added = {
  readonly title: string | null
  readonly note: string | null
  readonly tags: readonly string[]
}

/** What read tables need of the run: its place in lists, and what the search finds of it. */
export type AnnotatedRun = {
  readonly id: string
  readonly created_at: number
  readonly project: string | null
  readonly suite: string | null
  readonly git_branch: string | null
  readonly git_commit: string | null
  readonly note: string | null
  readonly tags: readonly string[]
  readonly fully_cached: boolean
}

/** The texts of a record, which are stored next to the log. */
export type AnnotationTexts = { readonly added: Added; readonly run: AnnotatedRun }

/**
 * In the stream of the run, `run/<id>`: all that it has in addition to its document from now on. The texts are prose, so the event has
 * only their salted digest. `attached` is null when they were deleted.
 */
export type RunAnnotated = NewEvent<
  'RunAnnotated',
  {
    readonly annotation_id: string
    readonly project: string | null
    readonly run_no: number
    readonly suite: string | null
    readonly texts_sha256: string
  }
> & { readonly attached?: AnnotationTexts | null }

export const ANNOTATION_EVENTS = {
  RunAnnotated: {
    tags: ({ stream, data }) => [stream, invalidatedSet(RUNS, data)],
    change: 'run',
    erasure: 'facts',
    digests: true,
    projections: ['annotations', 'search'],
  },
} as const satisfies EventTypes<RunAnnotated>

export const runAnnotated = (
  { annotation_id, run_no }: Pick<RunAnnotated['data'], 'annotation_id' | 'run_no'>,
  texts: AnnotationTexts,
  salt: string,
): RunAnnotated => {
  const stored = JSON.stringify(texts)
  const { id, project, suite } = texts.run
  return {
    ...event(streamOf('run', id), 'RunAnnotated', {
      annotation_id,
      project,
      run_no,
      suite,
      texts_sha256: saltedDigest(salt, stored),
    }),
    attached: texts,
    statements: [
      statement`
        INSERT INTO annotation_texts (annotation_id, run_no, texts, salt)
        VALUES (${annotation_id}, ${run_no}, ${stored}, ${salt})`,
    ],
  }
}

/** The text of a row of `annotation_texts` whose digest is in the event. */
export const annotationText = sql.fragment`salt || ' ' || texts`

/** The texts of a record; null if they were deleted. */
export const findAnnotationTexts = (annotation_id: string): Query<AnnotationTexts | null> =>
  mapped(
    maybeOne(sql.type(z.object({ texts: z.string() }))`
      SELECT texts FROM annotation_texts WHERE annotation_id = ${annotation_id}`),
    // Safe: `runAnnotated` wrote it.
    (row) => row && (JSON.parse(row.texts) as AnnotationTexts),
  )

/** Deletes the texts of one record with their salt: the digest in the log means nothing then. */
export const deleteAnnotation = (annotation_id: string): Statement =>
  statement`DELETE FROM annotation_texts WHERE annotation_id = ${annotation_id}`

/** Deletes the texts of all records of a run. */
export const deleteAnnotationsOf = (run_no: number): Statement =>
  statement`DELETE FROM annotation_texts WHERE run_no = ${run_no}`
