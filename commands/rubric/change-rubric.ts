import { isDeepStrictEqual } from 'node:util'
import type { RubricChange } from '../../domain/review/rubric.ts'
import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findRubricState } from '../../queries/reviews/rubrics.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { rubricVersioned } from './events.ts'
import { rubricParts, type RubricFields } from './rubric-fields.ts'

/** Why a retired rubric gets no new version and no new queue. */
export const RUBRIC_RETIRED = 'the rubric is retired'

/**
 * Adds the next version of a rubric; the earlier ones stay as they are. `set` is the set of the rubric as it was read before the
 * lock; it never changes. Refuses: not_found, forbidden (no upload level), conflict (retired), unprocessable (what `rubricParts`
 * refuses, or other questions in a change of the wording). Returns the number of the version.
 */
export const changeRubric = (
  viewer: Viewer,
  {
    rubric_id,
    set,
    change,
    ...fields
  }: RubricFields & { readonly rubric_id: string; readonly set: Suite; readonly change: RubricChange },
) =>
  command(viewer, {
    facts: { level: findLevel(viewer, set), rubric: findRubricState(viewer, rubric_id) },

    decide({ level, rubric }) {
      if (!rubric) throw new Refused('not_found', 'rubric not found')
      refuseWithoutUpload(level)
      const { questions, words } = rubricParts(fields)
      if (rubric.retired_at !== null) throw new Refused('conflict', RUBRIC_RETIRED)
      if (change === 'wording' && !isDeepStrictEqual(questions, rubric.questions))
        throw new Refused(
          'unprocessable',
          'change: other questions, options or limits change the meaning of a rubric, not only its wording',
        )
      const { project, suite, version } = rubric
      const { valid_days } = fields
      const data = { rubric_id, project, suite, version: version + 1, questions, change, valid_days }
      return [rubricVersioned(data, words, fields.text)]
    },
    result: (_, { rubric }) => (rubric?.version ?? 0) + 1,
  })
