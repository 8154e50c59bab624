import { z } from 'zod'
import type { RunSet } from '../../domain/sets.ts'
import { any, constant, mapped, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { isWithin, type Viewer } from './viewer.ts'

export const LEVELS = ['view', 'upload', 'manage'] as const
export type Level = (typeof LEVELS)[number]

const LevelRow = z.object({ admin: z.number(), restrictions: z.number(), granted: z.number() })

/**
 * What the viewer may do on a set now. On an unrestricted set, `view` and `upload` need no grant, but `manage` does. An
 * admin may `manage` every set; the same query reads whether the account is an admin. A limited key has no level outside of
 * its limit.
 */
export const findLevel = (viewer: Viewer, { project, suite }: RunSet): Query<Level | null> => {
  const { user_id } = viewer.actor
  if (viewer.limit && !isWithin(viewer.limit, { project, suite })) return constant(null)
  if (user_id === null && viewer.sees_all) return constant('manage')
  return mapped(
    one(sql.type(LevelRow)`
      SELECT
        (SELECT count(*) FROM users u WHERE u.id = ${user_id} AND u.role = 'admin' AND NOT u.disabled) AS admin,
        (SELECT count(*) FROM restrictions x WHERE x.project = ${project} AND (x.suite IS NULL OR x.suite = ${suite})) AS restrictions,
        (SELECT coalesce(max(CASE g.level WHEN 'manage' THEN 3 WHEN 'upload' THEN 2 ELSE 1 END), 0) FROM grants g
         WHERE g.user_id = ${user_id} AND g.project = ${project} AND (g.suite IS NULL OR g.suite = ${suite})) AS granted`),
    ({ admin, restrictions, granted }) => LEVELS[Math.max(granted, admin * 3, restrictions === 0 ? 2 : 0) - 1] ?? null,
  )
}

/** The accounts that may manage a set: of a project and a suite, of a whole project (no suite), or every set (no project). */
export const MANAGERS: Fragment = sql.fragment`
  SELECT u.id AS user_id, NULL AS project, NULL AS suite FROM users u WHERE u.role = 'admin' AND NOT u.disabled
  UNION ALL
  SELECT g.user_id, g.project, g.suite FROM grants g WHERE g.level = 'manage'`

/** Whether a viewer may manage a set, where `isManager` says it of an account. */
export const mayManage = (
  { limit, actor: { user_id }, sees_all }: Viewer,
  set: RunSet,
  isManager: (user_id: string) => boolean,
): boolean => (!limit || isWithin(limit, set)) && (user_id === null ? sees_all : isManager(user_id))

const Managed = z.object({ project: z.string().nullable(), suite: z.string().nullable() })

/** Which sets the viewer may manage now, in one query for all. */
export const findManaged = (viewer: Viewer): Query<(set: RunSet) => boolean> => {
  const { user_id } = viewer.actor
  if (user_id === null) return constant((set) => mayManage(viewer, set, () => false))
  return mapped(
    any(sql.type(Managed)`SELECT m.project, m.suite FROM (${MANAGERS}) m WHERE m.user_id = ${user_id}`),
    (rows) => (set) =>
      mayManage(viewer, set, () =>
        rows.some(
          ({ project, suite }) =>
            project === null || (project === set.project && (suite === null || suite === set.suite)),
        ),
      ),
  )
}

/** Whether a level includes another. Levels are ordered; each includes the lower ones. */
export const includes = (level: Level | null, wanted: Level): boolean =>
  level !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(wanted)
