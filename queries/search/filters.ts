import { z } from 'zod'
import type { Visibility } from '../../storage/search/search-index.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import type { SetFilters } from '../runs/sorted-runs.ts'
import { visibilityOf } from './ranking.ts'

/** Whether a run is in the sets of the filters. */
export const inSetOf =
  ({ project, suite }: SetFilters) =>
  (run: { readonly project: string | null; readonly suite: string | null }): boolean =>
    (project === undefined || run.project === project) && (suite === undefined || run.suite === suite)

const SetRow = z.object({ project: z.string(), suite: z.string().nullable() })
/** Above this number of sets, the index is searched in all sets, and the filter is applied to what it finds. */
const MAX_SETS = 100

/** Narrows what the index searches to the sets of the filter. */
export const narrowVisibility = async (
  reader: Reader,
  viewer: Viewer,
  { project, suite }: SetFilters,
): Promise<Visibility> => {
  if (project === undefined && suite === undefined) return visibilityOf(reader, viewer)
  const sets = await reader.read(
    any(sql.type(SetRow)`
      SELECT sets.project, sets.suite FROM sets
      WHERE ${sql.and([
        visible(viewer, 'sets'),
        ...(project === undefined ? [] : [sql.fragment`sets.project = ${project}`]),
        ...(suite === undefined ? [] : [sql.fragment`sets.suite = ${suite}`]),
      ])} LIMIT ${MAX_SETS + 1}`),
  )
  return sets.length > MAX_SETS ? visibilityOf(reader, viewer) : { visible: sets, limit: viewer.limit ?? null }
}
