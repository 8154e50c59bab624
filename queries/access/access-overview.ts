import { z } from 'zod'
import { page } from '../../domain/wire.ts'
import { any, one, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { Grant } from './access.ts'
import type { Viewer } from './viewer.ts'

const count = z.number().int()

/**
 * A whole project (suite null) or one suite, with what is recorded for exactly this scope. `covered` is whether a
 * restriction covers it: its own, or its project's. Counts of a project include all its suites.
 */
const AccessSet = z
  .object({
    project: z.string(),
    suite: z.string().nullable(),
    restricted: z.boolean(),
    covered: z.boolean(),
    restricted_at: count.nullable(),
    restricted_by: z.string().nullable(),
    run_count: count,
    case_count: count,
    grants: z.array(Grant),
  })
  .meta({ id: 'AccessSet' })

/** `totals` counts suites, on the first page only: all that have runs, a restriction or a grant, and those covered. */
export const AccessOverview = z
  .object({
    sets: z.array(AccessSet),
    next_cursor: z.string().nullable(),
    totals: z.object({ suites: count, restricted: count }).nullable(),
    /**
     * The first 100 restricted scopes that only admins see: no account has a grant on the scope or on a part of it. Only on
     * the first page. For all projects, or for the requested one.
     */
    admins_only: z.array(z.object({ project: z.string(), suite: z.string().nullable() })).nullable(),
  })
  .meta({ id: 'AccessOverview' })
export type AccessOverview = z.infer<typeof AccessOverview>

/**
 * Which scopes are listed. Without filters: every scope with a restriction or a grant, its project, and all suites of
 * restricted projects. `open` adds all other suites with runs, and their projects. `user_id` leaves only scopes at which
 * this account has a grant.
 */
export type AccessFilters = {
  readonly project?: string | undefined
  readonly user_id?: string | undefined
  readonly open?: boolean | undefined
}

const ScopeRow = z.object({
  project: z.string(),
  suite: z.string().nullable(),
  restricted_at: count.nullable(),
  restricted_by: z.string().nullable(),
  // A computed condition is a number on both storages.
  covered: count,
  run_count: count,
  case_count: count,
})
const GrantRow = Grant.extend({ project: z.string(), suite: z.string().nullable() })
const Totals = z.object({ suites: count, restricted: count })

const RULED = sql.fragment`SELECT project, suite FROM restrictions UNION SELECT project, suite FROM grants`

const accessScopes = ({ user_id, open = false }: AccessFilters): Fragment => {
  if (user_id !== undefined) return sql.fragment`SELECT project, suite FROM grants WHERE user_id = ${user_id}`
  const covered = sql.fragment`EXISTS (SELECT 1 FROM restrictions x WHERE x.project = sets.project AND x.suite IS NULL)`
  return sql.fragment`
    ${RULED}
    UNION SELECT ruled.project, NULL FROM (${RULED}) ruled
    UNION SELECT sets.project, sets.suite FROM sets
      WHERE sets.suite IS NOT NULL ${open ? sql.fragment`` : sql.fragment`AND ${covered}`}
    ${open ? sql.fragment`UNION SELECT sets.project, NULL FROM sets` : sql.fragment``}`
}

type Position = readonly [project: string, suite: string | null]

const isAfter = ([project, suite]: Position): Fragment => {
  const later = suite === null ? sql.fragment`` : sql.fragment`AND scope.suite > ${suite}`
  return sql.fragment`
    (scope.project > ${project} OR (scope.project = ${project} AND scope.suite IS NOT NULL ${later}))`
}

/** The scopes of one page: projects by name, in each the project itself first. An empty name is a suite like any other. */
const scopePage = (filters: AccessFilters, after: Position | null, limit: number): Fragment => {
  const order = [
    sql.fragment`scope.project`,
    sql.fragment`(scope.suite IS NOT NULL)`,
    sql.fragment`coalesce(scope.suite, '')`,
  ]
  const conditions = [
    sql.fragment`TRUE`,
    ...(filters.project === undefined ? [] : [sql.fragment`scope.project = ${filters.project}`]),
    ...(after === null ? [] : [isAfter(after)]),
  ]
  return sql.fragment`
    SELECT scope.project, scope.suite FROM (${accessScopes(filters)}) scope WHERE ${sql.and(conditions)}
    ORDER BY ${sql.join(order, sql.fragment`, `)} LIMIT ${limit}`
}

const scopeTotal = (column: 'run_count' | 'case_count'): Fragment =>
  sql.fragment`(
    SELECT coalesce(sum(${sql.identifier(['sets', column])}), 0) FROM sets
    WHERE sets.project = scope.project AND (scope.suite IS NULL OR sets.suite = scope.suite))`

/** Whether a restriction covers the scope: its own, or its project's. */
const COVERED = sql.fragment`EXISTS (
  SELECT 1 FROM restrictions x
  WHERE x.project = scope.project AND (x.suite IS NULL OR x.suite = scope.suite))`

const listScopes = (scopes: Fragment): Query<Array<z.infer<typeof ScopeRow>>> =>
  any(sql.type(ScopeRow)`
    SELECT scope.project, scope.suite, own.created_at AS restricted_at, coalesce(principals.label, own.created_by) AS restricted_by,
      CASE WHEN ${COVERED} THEN 1 ELSE 0 END AS covered,
      ${scopeTotal('run_count')} AS run_count, ${scopeTotal('case_count')} AS case_count
    FROM (${scopes}) scope
      LEFT JOIN restrictions own ON own.project = scope.project AND own.suite IS NOT DISTINCT FROM scope.suite
      LEFT JOIN principals ON principals.id = own.created_by
    ORDER BY scope.project, (scope.suite IS NOT NULL), coalesce(scope.suite, '')`)

const listGrants = (scopes: Fragment): Query<Array<z.infer<typeof GrantRow>>> =>
  any(sql.type(GrantRow)`
    SELECT grants.project, grants.suite, grants.user_id, coalesce(holder.label, grants.user_id) AS username, grants.level,
      grants.created_at, giver.label AS created_by, grants.managed_by
    FROM (${scopes}) scope
      JOIN grants ON grants.project = scope.project AND grants.suite IS NOT DISTINCT FROM scope.suite
      LEFT JOIN principals holder ON holder.id = grants.user_id
      LEFT JOIN principals giver ON giver.id = grants.created_by
    ORDER BY grants.created_at, username, grants.user_id`)

const TOTALS: Query<z.infer<typeof Totals>> = one(sql.type(Totals)`
  SELECT count(*) AS suites, coalesce(sum(CASE WHEN ${COVERED} THEN 1 ELSE 0 END), 0) AS restricted
  FROM (
    SELECT project, suite FROM sets WHERE suite IS NOT NULL
    UNION SELECT ruled.project, ruled.suite FROM (${RULED}) ruled WHERE ruled.suite IS NOT NULL
  ) scope`)

const Scope = z.object({ project: z.string(), suite: z.string().nullable() })
const MAX_ADMINS_ONLY = 100

const listAdminsOnly = (project: string | undefined): Query<Array<z.infer<typeof Scope>>> =>
  any(sql.type(Scope)`
    SELECT restrictions.project, restrictions.suite FROM restrictions
    WHERE ${project === undefined ? sql.fragment`TRUE` : sql.fragment`restrictions.project = ${project}`}
      AND NOT EXISTS (
        SELECT 1 FROM grants WHERE grants.project = restrictions.project
          AND (grants.suite IS NULL OR restrictions.suite IS NULL OR grants.suite = restrictions.suite))
    ORDER BY restrictions.project, (restrictions.suite IS NOT NULL), coalesce(restrictions.suite, '')
    LIMIT ${MAX_ADMINS_ONLY}`)

const Cursor = z.tuple([z.string(), z.string().nullable()])

/** Returns null for text that is no cursor: the list then starts with the first page. */
const parseCursor = (cursor: string | undefined): Position | null => {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString())).data ?? null
  } catch {
    return null
  }
}
const cursorText = ({ project, suite }: { readonly project: string; readonly suite: string | null }): string =>
  Buffer.from(JSON.stringify([project, suite])).toString('base64url')

const setText = ({ project, suite }: { readonly project: string; readonly suite: string | null }): string =>
  JSON.stringify([project, suite])

/**
 * Restrictions and grants of all scopes in one list, also of suites without runs. It names restricted sets, so it is
 * empty for a viewer who does not see all of them.
 */
export const listAccess = async (
  reader: Reader,
  { sees_all }: Viewer,
  filters: AccessFilters,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AccessOverview> => {
  if (!sees_all) return { sets: [], next_cursor: null, totals: null, admins_only: null }
  const after = parseCursor(cursor)
  const scopes = scopePage(filters, after, limit + 1)
  const { rows, grants } = await reader.readAll({ rows: listScopes(scopes), grants: listGrants(scopes) })
  const first =
    after === null
      ? await reader.readAll({ totals: TOTALS, admins_only: listAdminsOnly(filters.project) })
      : { totals: null, admins_only: null }
  const listed = page(rows, limit, cursorText)
  const grantsOf = Map.groupBy(grants, setText)
  return {
    sets: listed.rows.map(({ covered, restricted_at, ...row }) => ({
      project: row.project,
      suite: row.suite,
      restricted: restricted_at !== null,
      covered: covered > 0,
      restricted_at,
      restricted_by: row.restricted_by,
      run_count: row.run_count,
      case_count: row.case_count,
      grants: (grantsOf.get(setText(row)) ?? []).map(({ project: _project, suite: _suite, ...grant }) => grant),
    })),
    next_cursor: listed.next_cursor,
    ...first,
  }
}
