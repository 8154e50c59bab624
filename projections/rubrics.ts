import type { RubricVersioned } from '../commands/rubric/events.ts'
import { canonicalJson } from '../domain/run/canonical-json.ts'
import { statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

/** The versions of rubrics. Their words are next to the log. */
export const rubrics = projection(
  { name: 'rubrics', version: 1, tables: ['rubrics'], readsNoDocument: true },
  {
    RubricVersioned: ({ seq, recorded_at, actor, data }) => [
      statement`
        INSERT INTO rubrics (rubric_id, version, project, suite, text_sha256, questions, change, valid_days, versioned_at, versioned_by, seq,
          retired_at)
        VALUES (${data.rubric_id}, ${data.version}, ${data.project}, ${data.suite}, ${data.text_sha256}, ${canonicalJson(data.questions)},
          ${data.change}, ${data.valid_days}, ${recorded_at}, ${actor.user_id ?? actor.credential_id}, ${seq}, NULL)`,
    ],
    RubricRetired: ({ recorded_at, data: { rubric_id } }) => [
      statement`UPDATE rubrics SET retired_at = ${recorded_at} WHERE rubric_id = ${rubric_id}`,
    ],
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'RubricVersioned') return []
      const { rubric_id, version } = kept.data as RubricVersioned['data']
      return [statement`UPDATE rubrics SET versioned_by = NULL WHERE rubric_id = ${rubric_id} AND version = ${version}`]
    },
  },
)
