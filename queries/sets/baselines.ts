import { z } from 'zod'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

export type Suite = { readonly project: string; readonly suite: string }

/** The run with which a suite is compared. */
export const Baseline = z
  .object({ project: z.string(), suite: z.string(), run_id: z.string(), pinned_at: z.number() })
  .meta({ id: 'Baseline' })
export type Baseline = z.infer<typeof Baseline>

/** The pinned run of a suite; null if none is pinned, or if the viewer may not see the suite. */
export const findBaseline = (viewer: Viewer, { project, suite }: Suite): Query<Baseline | null> =>
  maybeOne(sql.type(Baseline)`
    SELECT project, suite, run_id, pinned_at FROM baselines
    WHERE project = ${project} AND suite = ${suite} AND ${visible(viewer, 'baselines')}`)

const Pinned = z.object({ project: z.string(), suite: z.string() })

/** The suite whose baseline is this run, or null. Takes no viewer, because a deletion unpins the run for all. */
export const findBaselineOfRun = (run_id: string): Query<Suite | null> =>
  maybeOne(sql.type(Pinned)`SELECT project, suite FROM baselines WHERE run_id = ${run_id}`)
