import { z } from 'zod'
import { any, mapped, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'

const count = z.number().int()

/** Values by which the run list can be filtered, with the number of visible runs of each. */
export const RunFacets = z
  .object({
    projects: z.array(z.object({ project: z.string(), run_count: count })),
    /** Suites with the same name in several projects are one value, as in the filter. */
    suites: z.array(z.object({ suite: z.string(), projects: z.array(z.string()), run_count: count })),
    providers: z.array(z.object({ provider: z.string(), run_count: count })),
  })
  .meta({ id: 'RunFacets' })
export type RunFacets = z.infer<typeof RunFacets>

/** Maximum number of values of a facet. */
const MAX_VALUES = 1_000

const SetRow = z.object({ project: z.string(), suite: z.string().nullable(), run_count: count })
type SetRow = z.infer<typeof SetRow>
const ProviderRow = z.object({ provider: z.string(), run_count: count })

const runsOf = (rows: readonly SetRow[]): number => rows.reduce((sum, { run_count }) => sum + run_count, 0)
const byCount = (a: { readonly run_count: number }, b: { readonly run_count: number }): number =>
  b.run_count - a.run_count

/** Projects, suites and providers of the visible runs, those with the most runs first. */
export const readRunFacets = async (reader: Reader, viewer: Viewer): Promise<RunFacets> => {
  const { sets, providers } = await reader.readAll({ sets: listSets(viewer), providers: listProviders(viewer) })
  return { ...sets, providers }
}

/** A run without a project is in no set. Every viewer may see it, but a limited key. */
const listProviders = (viewer: Viewer): Query<RunFacets['providers']> =>
  any(sql.type(ProviderRow)`
    SELECT p.provider_id AS provider, CAST(sum(p.run_count) AS bigint) AS run_count FROM set_providers p
    WHERE ${ofVisibleSet(viewer)}
    GROUP BY p.provider_id ORDER BY 2 DESC, 1 LIMIT ${MAX_VALUES}`)

const ofVisibleSet = (viewer: Viewer): Fragment =>
  viewer.sees_all
    ? sql.fragment`TRUE`
    : sql.fragment`(
        ${viewer.limit ? sql.fragment`` : sql.fragment`p.set_key = '' OR`}
        p.set_key IN (SELECT sets.set_key FROM sets WHERE ${visible(viewer, 'sets')}))`

const listSets = (viewer: Viewer): Query<Omit<RunFacets, 'providers'>> =>
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
