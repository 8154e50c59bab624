import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { refuseWithoutUpload } from '../refused.ts'
import { rubricVersioned } from './events.ts'
import { rubricParts, type RubricFields } from './rubric-fields.ts'

/**
 * Creates a rubric of a suite, as its version 1. Refuses: unprocessable (a dot name, or what `rubricParts` refuses), forbidden (no
 * upload level).
 */
export const createRubric = (
  viewer: Viewer,
  { rubric_id, project, suite, ...fields }: Suite & RubricFields & { readonly rubric_id: string },
) => {
  const set = { project, suite }
  return command(viewer, {
    facts: { level: findLevel(viewer, set) },

    decide({ level }) {
      refuseDotNames(set)
      const { questions, words } = rubricParts(fields)
      refuseWithoutUpload(level)
      const data = { ...set, rubric_id, version: 1, questions, change: null, valid_days: fields.valid_days }
      return [rubricVersioned(data, words, fields.text)]
    },
  })
}
