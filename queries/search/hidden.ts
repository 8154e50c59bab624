import { z } from 'zod'
import type { Hidden } from '../../storage/search/search-index.ts'
import { any, constant, mapped, one, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'

const HiddenRow = z.object({ project: z.string(), suite: z.string().nullable(), granted: z.string().nullable() })

/**
 * The restrictions that hide something from the viewer, in the form that the search index needs. If a project is
 * restricted, a suite on which the viewer has a grant stays visible.
 */
export const listHidden = (viewer: Viewer): Query<Hidden[]> => {
  if (viewer.sees_all || viewer.limit?.all) return constant([])
  const rows = any(sql.type(HiddenRow)`
    SELECT x.project, x.suite, s.suite AS granted
    FROM restrictions x
      LEFT JOIN grants s ON x.suite IS NULL AND s.user_id = ${viewer.actor.user_id} AND s.project = x.project AND s.suite IS NOT NULL
    WHERE NOT EXISTS (
      SELECT 1 FROM grants g WHERE g.user_id = ${viewer.actor.user_id} AND g.project = x.project AND (g.suite IS NULL OR g.suite = x.suite))
    ORDER BY x.project, x.suite, s.suite`)
  return mapped(rows, (found) =>
    [...Map.groupBy(found, ({ project, suite }) => JSON.stringify([project, suite])).values()].flatMap(
      ([first, ...more]) =>
        first
          ? [
              {
                project: first.project,
                suite: first.suite,
                except: [first, ...more].flatMap(({ granted }) => granted ?? []),
              },
            ]
          : [],
    ),
  )
}

const ANY_RESTRICTION: Query<boolean> = mapped(
  one(sql.type(z.object({ n: z.number() }))`SELECT count(*) AS n FROM (SELECT 1 FROM restrictions LIMIT 1) x`),
  ({ n }) => n > 0,
)

/** Whether the viewer may see every row, because nothing is restricted or the viewer sees everything. */
export const findSeesEverything = ({ sees_all, limit }: Viewer): Query<boolean> =>
  sees_all || limit ? constant(sees_all) : mapped(ANY_RESTRICTION, (any) => !any)
