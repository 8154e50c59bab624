import { z } from 'zod'
import type { Reader } from '../../storage/storage.ts'
import { findSuiteAccess, setAccess } from '../access/set-access.ts'
import type { Viewer } from '../access/viewer.ts'
import { findBaseline } from '../sets/baselines.ts'
import { judgedFields } from '../reviews/judges.ts'
import { SuiteSet } from '../sets/sets.ts'
import { countCommentsOfRun } from './comments.ts'
import { PreviousRun } from './previous-run.ts'
import { readJudgedRun, RunDetail } from './run-detail.ts'

const SetState = SuiteSet.pick({ baseline_run_id: true, restricted: true, my_level: true })

/**
 * A run in full, with the baseline of its suite, what the viewer may do there, the previous like run, and the number of comments on
 * it and its cases. `set` is null for a run without project or suite.
 */
export const RunInSuite = RunDetail.extend({
  set: SetState.nullable(),
  previous: PreviousRun.shape.previous,
  comments: z.int(),
}).meta({ id: 'RunInSuite' })
export type RunInSuite = z.infer<typeof RunInSuite>

/** One run as its page first shows it, without the previous like run; null for an unknown or hidden run. */
export const findRunInSuite = async (
  reader: Reader,
  viewer: Viewer,
  id: string,
): Promise<Omit<RunInSuite, 'previous'> | null> => {
  const found = await readJudgedRun(reader, viewer, id)
  if (!found) return null
  const run = { ...found.run, ...judgedFields(found.judges) }
  const { project, suite } = run
  if (project === null || suite === null)
    return { ...run, set: null, comments: await reader.read(countCommentsOfRun(id)) }
  const { baseline, comments, ...granted } = await reader.readAll({
    comments: countCommentsOfRun(id),
    baseline: findBaseline(viewer, { project, suite }),
    ...findSuiteAccess(viewer, project, suite),
  })
  const access = setAccess(granted)
  return {
    ...run,
    comments,
    set: {
      baseline_run_id: baseline?.run_id ?? null,
      restricted: access.isRestricted(project, suite),
      my_level: access.myLevel(project, suite),
    },
  }
}
