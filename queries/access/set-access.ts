import { z } from 'zod'
import { any, constant, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from './viewer.ts'
import { LEVELS, type Level } from './levels.ts'

const Scope = z.object({ project: z.string(), suite: z.string().nullable() })
type Scope = z.infer<typeof Scope>
const Grant = Scope.extend({ level: z.enum(LEVELS) })
type Grant = z.infer<typeof Grant>

type AccessRows = { readonly restrictions: readonly Scope[]; readonly grants: readonly Grant[] }

/**
 * The restrictions of these scopes, and the viewer's own grants. Both tables have the columns `project` and `suite`.
 */
const listAccess = (
  viewer: Viewer,
  scopes: Fragment,
): { readonly restrictions: Query<Scope[]>; readonly grants: Query<Grant[]> } => ({
  restrictions: any(sql.type(Scope)`SELECT project, suite FROM restrictions WHERE ${scopes}`),
  grants:
    viewer.sees_all || viewer.limit?.all || viewer.actor.user_id === null
      ? constant<Grant[]>([])
      : any(
          sql.type(Grant)`
            SELECT project, suite, level FROM grants WHERE user_id = ${viewer.actor.user_id} AND ${scopes}`,
        ),
})

/** The restrictions of whole projects, and the viewer's grants on them. Those of single suites are not included. */
export const listProjectAccess = (viewer: Viewer) => listAccess(viewer, sql.fragment`suite IS NULL`)

/** All restrictions, and all of the viewer's grants. */
export const listAllAccess = (viewer: Viewer) => listAccess(viewer, sql.fragment`TRUE`)

/** The restrictions of a project and of each of its suites, and the viewer's grants on them. */
export const listSuiteAccess = (viewer: Viewer, project: string) =>
  listAccess(viewer, sql.fragment`project = ${project}`)

/** The restrictions of a project and of one of its suites, and the viewer's grants on them. */
export const findSuiteAccess = (viewer: Viewer, project: string, suite: string) =>
  listAccess(viewer, sql.fragment`project = ${project} AND (suite IS NULL OR suite = ${suite})`)

/**
 * What a viewer sees about the access to a set. Each function needs only a lookup. If the suite is null, the set is the
 * whole project.
 */
export type SetAccess = {
  /** Whether a restriction covers the set: its own, or its project's. */
  readonly isRestricted: (project: string, suite: string | null) => boolean
  /** The highest of the viewer's grants that cover the set; for a whole project, only grants on the project count. */
  readonly myLevel: (project: string, suite: string | null) => Level | null
}

/** Indexes rows for lookups in constant time, because a list looks up every suite. */
export const setAccess = ({ restrictions, grants }: AccessRows): SetAccess => {
  const restricted = indexed(restrictions, () => true)
  const levels = indexed(grants, ({ level }) => LEVELS.indexOf(level))
  return {
    isRestricted: (project, suite) => {
      const suites = restricted.get(project)
      return suites !== undefined && (suites.has(null) || suites.has(suite))
    },
    myLevel: (project, suite) => {
      const suites = levels.get(project)
      return LEVELS[Math.max(suites?.get(null) ?? -1, suites?.get(suite) ?? -1)] ?? null
    },
  }
}

const indexed = <Row extends Scope, T>(
  rows: readonly Row[],
  value: (row: Row) => T,
): ReadonlyMap<string, ReadonlyMap<string | null, T>> => {
  const projects = new Map<string, Map<string | null, T>>()
  for (const row of rows) {
    const suites = projects.get(row.project) ?? new Map<string | null, T>()
    projects.set(row.project, suites.set(row.suite, value(row)))
  }
  return projects
}
