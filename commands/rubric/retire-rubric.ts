import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findRubricState } from '../../queries/reviews/rubrics.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { rubricRetired } from './events.ts'

/**
 * Retires a rubric: no new queue uses it, and queues that are open stay open. Records nothing if it is retired. `set` is the set of
 * the rubric as it was read before the lock; it never changes. Refuses: not_found, forbidden (no upload level).
 */
export const retireRubric = (viewer: Viewer, { rubric_id, set }: { readonly rubric_id: string; readonly set: Suite }) =>
  command(viewer, {
    facts: { level: findLevel(viewer, set), rubric: findRubricState(viewer, rubric_id) },

    decide({ level, rubric }) {
      if (!rubric) throw new Refused('not_found', 'rubric not found')
      refuseWithoutUpload(level)
      return rubric.retired_at === null ? [rubricRetired(rubric_id)] : []
    },
  })
