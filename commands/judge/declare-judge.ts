import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findDeclared } from '../../queries/reviews/judges.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { findSet } from '../../queries/sets/suite-set.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { judgeDeclared } from './events.ts'

/** Metrics of a suite whose code is declared to be a judge, at most: as many as a run has. */
const MAX_DECLARED = 256

/**
 * Says that the programs and embeddings of a metric are a judge, or no judge any more. What is said already records nothing. Refuses:
 * unprocessable (a dot name), not_found (no such suite), forbidden (no upload level), conflict (too many metrics).
 */
export const declareJudge = (
  viewer: Viewer,
  { project, suite, metric, is_judge }: Suite & { readonly metric: string; readonly is_judge: boolean },
) => {
  const set = { project, suite }
  return command(viewer, {
    facts: { level: findLevel(viewer, set), found: findSet(viewer, set), declared: findDeclared(set, metric) },

    decide({ level, found, declared }) {
      refuseDotNames(set)
      if (found === null) throw new Refused('not_found', 'run set not found')
      refuseWithoutUpload(level)
      if (declared.isDeclared === is_judge) return []
      if (is_judge && declared.metrics >= MAX_DECLARED)
        throw new Refused(
          'conflict',
          `metric: a suite has at most ${MAX_DECLARED} declared judges: end one of them first`,
        )
      return [judgeDeclared({ is_judge, metric, project, suite })]
    },
  })
}
