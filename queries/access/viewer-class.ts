import { hash } from 'node:crypto'
import { z } from 'zod'
import { scopeKey, setKey, type RunSet, type SetScope } from '../../domain/sets.ts'
import { any, constant, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { LEVELS } from './levels.ts'
import { isWithin, type Limit, type Viewer } from './viewer.ts'

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
  /**
   * Changes when the viewer may notice a change of access. A restriction inside of a project that is hidden from the
   * viewer does not count.
   */
  readonly noticed: string
  readonly restrictions: Restrictions | null
  readonly granted: readonly SetScope[]
  /** What a limited key is limited to: nothing else is visible. */
  readonly limit: SetScope | null
}

/** The class of viewers who see everything. Their grants are not read. */
const EVERYTHING: ViewerClass = {
  sees: 'all',
  levels: 'all',
  noticed: 'all',
  restrictions: null,
  granted: [],
  limit: null,
}

/** Whether the viewers of a class may see a run set. */
export const seesSet = ({ restrictions, granted, limit }: ViewerClass, set: RunSet): boolean =>
  (!limit || isWithin(limit, set)) &&
  (!restrictions ||
    !covers(restrictions, set) ||
    granted.some(({ project, suite }) => project === set.project && (suite === null || suite === set.suite)))

const AccessRow = z.object({ project: z.string(), suite: z.string().nullable(), level: z.enum(LEVELS).nullable() })

/** The class of a viewer. Valid until a restriction or a grant changes. */
export const findViewerClass = (viewer: Viewer): Query<ViewerClass> => {
  if (viewer.sees_all) return constant(EVERYTHING)
  if (viewer.limit?.all) return constant(limitedTo(EVERYTHING, viewer.limit))
  const query = any(sql.type(AccessRow)`
    SELECT project, suite, NULL AS level FROM restrictions
    UNION ALL SELECT project, suite, level FROM grants WHERE user_id = ${viewer.actor.user_id}`)
  return mapped(query, (rows) => {
    const { limit } = viewer
    const found = limit ? rows.filter((row) => concerns(row, limit)) : rows
    const viewerClass = classOf(found)
    return limit ? limitedTo(viewerClass, limit) : viewerClass
  })
}

const classOf = (found: ReadonlyArray<z.infer<typeof AccessRow>>): ViewerClass => {
  const texts = (rows: typeof found): string[] =>
    rows.map(({ project, suite, level }) => JSON.stringify([project, suite, level])).sort()
  const levels = found.length === 0 ? EVERYTHING.levels : digest(texts(found))
  const grantedProjects = new Set(found.filter(({ level }) => level !== null).map(({ project }) => project))
  const restricting = found.filter(({ level }) => level === null)
  const hiddenProjects = new Set(
    restricting
      .filter(({ project, suite }) => suite === null && !grantedProjects.has(project))
      .map(({ project }) => project),
  )
  const noticed = digest(texts(found.filter(({ project, suite }) => suite === null || !hiddenProjects.has(project))))
  if (restricting.length === 0) return { ...EVERYTHING, levels, noticed }
  const restricted = new Set(restricting.map(({ project }) => project))
  // A grant at any level makes a set visible. In a project without restrictions, a grant does not change what is
  // visible.
  const relevant = found
    .filter(({ project }) => restricted.has(project))
    .map((row) => ({ ...row, level: row.level && LEVELS[0] }))
  return {
    sees: digest(texts(relevant)),
    levels,
    noticed,
    restrictions: restrictionsOf(restricting, digest(texts(restricting))),
    granted: relevant.filter(({ level }) => level !== null),
    limit: null,
  }
}

/** Whether a restriction or a grant concerns what is within a limit. */
const concerns = ({ project, suite }: SetScope, limit: SetScope): boolean =>
  project === limit.project && (suite === null || limit.suite === null || suite === limit.suite)

/** The class of a limited key, from that of an account that sees what the key's account sees within the limit. */
const limitedTo = (
  { sees, levels, noticed, granted, ...others }: ViewerClass,
  { project, suite, all }: Limit,
): ViewerClass => {
  const limited = (key: string): string => digest([JSON.stringify([project, suite, all]), key])
  return {
    ...others,
    sees: limited(sees),
    levels: limited(levels),
    noticed: all ? noticed : limited(noticed),
    // Of a grant on more than the limit, what is within the limit.
    granted: granted.map((grant) => (grant.suite === null ? { project, suite } : grant)),
    limit: { project, suite },
  }
}

const restrictionsOf = (rows: readonly SetScope[], key: string): Restrictions => ({
  key,
  projects: new Set(rows.filter(({ suite }) => suite === null).map(({ project }) => project)),
  suites: new Set(rows.filter(({ suite }) => suite !== null).map(scopeKey)),
})

const digest = (texts: readonly string[]): string => hash('sha256', JSON.stringify(texts), 'base64url')
