import { hash } from 'node:crypto'
import { z } from 'zod'
import { scopeKey, setKey } from '../../domain/sets.ts'
import type { RunSet, SetScope } from '../../domain/sets.ts'
import type { Hidden } from '../../storage/search/search-index.ts'
import { any, constant, mapped, maybeOne, one, sql } from '../../storage/sql.ts'
import type { Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { CEILING, lowerOf, ROLES, SCOPES } from './viewer.ts'
import type { Scope, Viewer } from './viewer.ts'

export const LEVELS = ['view', 'upload', 'manage'] as const
export type Level = (typeof LEVELS)[number]

/**
 * The rows of `table` (with columns `project` and `suite`) that the viewer may see: unrestricted sets, and restricted
 * ones with a grant at any level. Every read uses this condition, so hidden and absent rows give the same result.
 */
export const visible = (viewer: Viewer, table: string): Fragment => {
  if (viewer.sees_all) return sql.fragment`TRUE`
  const project = sql.identifier([table, 'project'])
  const suite = sql.identifier([table, 'suite'])
  // Two lookups in each table. A single lookup by the project alone, with a condition on the suite, would read the rows
  // of all its suites.
  const covering = (rules: string, condition: Fragment): Fragment => {
    const where = sql.fragment`SELECT 1 FROM ${sql.identifier([rules])} x WHERE ${condition} AND x.project = ${project}`
    return sql.fragment`(EXISTS (${where} AND x.suite IS NULL) OR EXISTS (${where} AND x.suite = ${suite}))`
  }
  return sql.fragment`(
    NOT ${covering('restrictions', sql.fragment`TRUE`)}
    OR ${covering('grants', sql.fragment`x.user_id = ${viewer.actor.user_id}`)}
  )`
}

const HiddenRow = z.object({ project: z.string(), suite: z.string().nullable(), granted: z.string().nullable() })

/**
 * The restrictions that hide something from the viewer, in the form that the search index needs. If a project is
 * restricted, a suite on which the viewer has a grant stays visible.
 */
export const listHidden = (viewer: Viewer): Query<Hidden[]> => {
  if (viewer.sees_all) return constant([])
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

/** All restrictions: whole projects, and suites by their `setKey`. Two values with the same `key` are equal. */
export type Restrictions = {
  readonly key: string
  readonly projects: ReadonlySet<string>
  readonly suites: ReadonlySet<string>
}

/** Whether a restriction covers a run set: its own, or its project's. */
export const covers = ({ projects, suites }: Restrictions, set: RunSet): boolean =>
  set.project !== null && (projects.has(set.project) || (suites.size > 0 && suites.has(setKey(set) ?? '')))

/**
 * Describes, in short keys, how a response depends on the viewer. Viewers with the same `sees` get the same rows.
 * Viewers with the same `levels` also have the same grants, and so the same `my_level` of each set. A set that
 * `restrictions` cover is visible only if `granted` covers it too. If nothing is hidden from a class, its restrictions
 * are null.
 */
export type ViewerClass = {
  readonly sees: string
  readonly levels: string
  readonly restrictions: Restrictions | null
  readonly granted: readonly SetScope[]
}

/** The class of viewers who see everything. Their grants are not read. */
const EVERYTHING: ViewerClass = { sees: 'all', levels: 'all', restrictions: null, granted: [] }

const AccessRow = z.object({ project: z.string(), suite: z.string().nullable(), level: z.enum(LEVELS).nullable() })

/** The class of a viewer. Valid until a restriction or a grant changes. */
export const findViewerClass = (viewer: Viewer): Query<ViewerClass> => {
  if (viewer.sees_all) return constant(EVERYTHING)
  const query = any(sql.type(AccessRow)`
    SELECT project, suite, NULL AS level FROM restrictions
    UNION ALL SELECT project, suite, level FROM grants WHERE user_id = ${viewer.actor.user_id}`)
  return mapped(query, (found) => {
    const texts = (rows: typeof found): string[] =>
      rows.map(({ project, suite, level }) => JSON.stringify([project, suite, level])).sort()
    const levels = found.length === 0 ? EVERYTHING.levels : digest(texts(found))
    const restricting = found.filter(({ level }) => level === null)
    if (restricting.length === 0) return { ...EVERYTHING, levels }
    const restricted = new Set(restricting.map(({ project }) => project))
    // A grant at any level makes a set visible. In a project without restrictions, a grant does not change what is
    // visible.
    const relevant = found
      .filter(({ project }) => restricted.has(project))
      .map((row) => ({ ...row, level: row.level && LEVELS[0] }))
    return {
      sees: digest(texts(relevant)),
      levels,
      restrictions: restrictionsOf(restricting, digest(texts(restricting))),
      granted: relevant.filter(({ level }) => level !== null),
    }
  })
}

const restrictionsOf = (rows: readonly SetScope[], key: string): Restrictions => ({
  key,
  projects: new Set(rows.filter(({ suite }) => suite === null).map(({ project }) => project)),
  suites: new Set(rows.filter(({ suite }) => suite !== null).map(scopeKey)),
})

const digest = (texts: readonly string[]): string => hash('sha256', JSON.stringify(texts), 'base64url')

/**
 * What a caller may do now. This may differ from what was allowed when the request arrived. For an account, a `scope`
 * of null means that the account or its credential is no longer valid.
 */
export type CurrentAccess = { readonly scope: Scope | null; readonly sees_all: boolean }

const LOST: CurrentAccess = { scope: null, sees_all: false }

const AccessNow = z.object({ role: z.enum(ROLES), key_scope: z.enum(SCOPES).nullable() })

/**
 * The current access of a viewer: for an account, it is read from the rows of the account and of the session or key
 * that the request presented. A session that expires while its request waits still counts: it was valid when the
 * request arrived.
 */
export const findCurrentAccess = ({
  actor: { kind, user_id, credential_id, scope },
  sees_all,
}: Viewer): Query<CurrentAccess> => {
  if (user_id === null) return constant({ scope, sees_all })
  const presented =
    kind === 'apikey'
      ? sql.fragment`(SELECT id, user_id, scope FROM api_keys WHERE id = ${credential_id} AND NOT revoked)`
      : sql.fragment`(SELECT id, user_id, NULL AS scope FROM sessions WHERE id = ${credential_id})`
  const row = maybeOne(sql.type(AccessNow)`
    SELECT users.role, presented.scope AS key_scope
    FROM ${presented} presented JOIN users ON users.id = presented.user_id
    WHERE users.id = ${user_id} AND NOT users.disabled`)
  return mapped(row, (found) =>
    found
      ? { scope: lowerOf(CEILING[found.role], found.key_scope ?? 'admin'), sees_all: found.role === 'admin' }
      : LOST,
  )
}

/**
 * Whether the account and credential of a viewer still allow what they allowed when a response was started: a slow
 * client may take hours to receive one.
 */
export const isStillAllowed = async (reader: Reader, viewer: Viewer): Promise<boolean> => {
  const { scope, sees_all } = await reader.read(findCurrentAccess(viewer))
  return (viewer.actor.user_id === null || scope !== null) && (sees_all || !viewer.sees_all)
}

/** Whether anything is restricted at all. */
export const findAnyRestriction: Query<boolean> = mapped(
  one(sql.type(z.object({ n: z.number() }))`SELECT count(*) AS n FROM (SELECT 1 FROM restrictions LIMIT 1) x`),
  ({ n }) => n > 0,
)

const LevelRow = z.object({ admin: z.number(), restrictions: z.number(), granted: z.number() })

/**
 * What the viewer may do on a set now. On an unrestricted set, `view` and `upload` need no grant, but `manage` does. An
 * admin may `manage` every set; the same query reads whether the account is an admin.
 */
export const findLevel = (viewer: Viewer, { project, suite }: RunSet): Query<Level | null> => {
  const { user_id } = viewer.actor
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

/** Whether a level includes another. Levels are ordered; each includes the lower ones. */
export const includes = (level: Level | null, wanted: Level): boolean =>
  level !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(wanted)
