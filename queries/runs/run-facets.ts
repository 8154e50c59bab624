import { z } from 'zod'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

const count = z.number().int()

/** Values by which the run list can be filtered, with the number of visible runs of each. */
export const RunFacets = z
  .object({
    projects: z.array(z.object({ project: z.string(), run_count: count })),
    /** Suites with the same name in several projects are one value, as in the filter. */
    suites: z.array(z.object({ suite: z.string(), projects: z.array(z.string()), run_count: count })),
  })
  .meta({ id: 'RunFacets' })
export type RunFacets = z.infer<typeof RunFacets>

/** Maximum number of values of a facet. */
const MAX_VALUES = 1_000

const SetRow = z.object({ project: z.string(), suite: z.string().nullable(), run_count: count })
type SetRow = z.infer<typeof SetRow>

const runsOf = (rows: readonly SetRow[]): number => rows.reduce((sum, { run_count }) => sum + run_count, 0)
const byCount = (a: { readonly run_count: number }, b: { readonly run_count: number }): number =>
  b.run_count - a.run_count

/** Projects and suites of the visible runs, those with the most runs first. */
export const listRunFacets = (viewer: Viewer): Query<RunFacets> =>
  mapped(
    any(sql.type(SetRow)`
      SELECT sets.project, sets.suite, sets.run_count FROM sets WHERE ${visible(viewer, 'sets')}
      ORDER BY sets.project, sets.suite`),
    (rows) => ({
      projects: [...Map.groupBy(rows, ({ project }) => project)]
        .map(([project, sets]) => ({ project, run_count: runsOf(sets) }))
        .sort(byCount)
        .slice(0, MAX_VALUES),
      suites: [...Map.groupBy(rows, ({ suite }) => suite)]
        .flatMap(([suite, sets]) =>
          suite === null ? [] : [{ suite, projects: sets.map(({ project }) => project), run_count: runsOf(sets) }],
        )
        .sort(byCount)
        .slice(0, MAX_VALUES),
    }),
  )
