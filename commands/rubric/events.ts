import { hash } from 'node:crypto'
import type { Question, RubricChange, RubricWords } from '../../domain/review/rubric.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { EventTypes } from '../event-type.ts'

/**
 * Stream `rubric/<rubric_id>`: a version of a rubric, counted from 1. Versions never change. Its words are stored next to the log;
 * `text_sha256` is the SHA-256 (hex) of what `rubricText` reads. `change` is null in the first version.
 */
export type RubricVersioned = NewEvent<
  'RubricVersioned',
  {
    readonly change: RubricChange | null
    readonly project: string
    readonly questions: readonly Question[]
    readonly rubric_id: string
    readonly suite: string
    readonly text_sha256: string
    readonly valid_days: number
    readonly version: number
  }
>

/** In the stream of the rubric: no new queue uses it. */
export type RubricRetired = NewEvent<'RubricRetired', { readonly rubric_id: string }>

export type RubricEvent = RubricVersioned | RubricRetired

// Rubrics themselves are not cached.
const shared = { tags: () => [], change: 'nothing', erasure: 'facts', projections: ['rubrics'] } as const
export const RUBRIC_EVENTS = {
  RubricVersioned: { ...shared, digests: true },
  RubricRetired: { ...shared, digests: false },
} as const satisfies EventTypes<RubricEvent>

/** The id of the texts of a version. */
export const rubricTextId = (rubric_id: string, version: number): string => `${rubric_id}.${version}`

export const rubricVersioned = (
  data: Omit<RubricVersioned['data'], 'text_sha256'>,
  words: RubricWords,
  text: string,
): RubricVersioned => {
  const { rubric_id, version } = data
  const stored = JSON.stringify(words)
  return {
    ...event(streamOf('rubric', rubric_id), 'RubricVersioned', {
      ...data,
      text_sha256: hash('sha256', `${stored}\n${text}`, 'hex'),
    }),
    statements: [
      statement`
        INSERT INTO rubric_texts (text_id, words, text) VALUES (${rubricTextId(rubric_id, version)}, ${stored}, ${text})`,
    ],
  }
}

export const rubricRetired = (rubric_id: string): RubricRetired =>
  event(streamOf('rubric', rubric_id), 'RubricRetired', { rubric_id })

/** The text of a row of `rubric_texts` whose digest is in the event: as `rubricVersioned` makes it. */
export const rubricText = sql.fragment`words || '
' || text`
