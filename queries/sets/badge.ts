import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { CASE_STATUSES } from '../../domain/run/document.ts'
import { setKey } from '../../domain/sets.ts'
import { decisionOf } from '../../domain/statistics/comparison.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import type { Suite } from './baselines.ts'

const Counts = RunRow.pick({
  id: true,
  case_count: true,
  pass_count: true,
  pass_interval: true,
  fail_count: true,
  error_count: true,
  xfail_count: true,
  xpass_count: true,
})
type Counts = z.infer<typeof Counts>

/** The newest run of a suite, of one branch if asked; null if there is none that the viewer may see. */
export const findNewestRun = (viewer: Viewer, suite: Suite, branch: string | undefined): Query<Counts | null> =>
  // Each run of a suite has an outline. A suite that is hidden costs as little as one that does not exist.
  maybeOne(sql.type(Counts)`
    SELECT ${columnList('runs', Counts)}
    FROM (
      SELECT run_no FROM run_outlines
      WHERE set_key = (SELECT sets.set_key FROM sets WHERE sets.set_key = ${setKey(suite)} AND ${visible(viewer, 'sets')})
        AND ${branch === undefined ? sql.fragment`TRUE` : sql.fragment`git_branch = ${branch}`}
      ORDER BY created_at DESC, run_id DESC LIMIT 1) newest
    CROSS JOIN runs WHERE runs.run_no = newest.run_no`)

const Score = z.object({ score: z.number().nullable() })
export type Score = z.infer<typeof Score>

const DECIDED = CASE_STATUSES.filter((status) => decisionOf(status) !== 'neutral')

/** The mean score of a run's cases that passed or failed; null for a run that is unknown or hidden. Reads all cases. */
export const findScore = (viewer: Viewer, run_id: string): Query<Score | null> =>
  maybeOne(sql.type(Score)`
    SELECT (
      SELECT avg(cases.score) FROM cases WHERE cases.run_no = runs.run_no
        AND cases.status IN (${sql.join(DECIDED, sql.fragment`, `)})) AS score
    FROM runs WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`)
