import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Fragment } from '../storage/sql.ts'
import { any, known, mapped, one, sql } from '../storage/sql.ts'
import type { Hidden } from '../storage/search.ts'
import type { Query } from '../storage/storage.ts'
import type { Viewer } from './viewer.ts'

/** A run set: a (project, suite) pair. Runs without a project are in none and can never be restricted. */
export type RunSet = { readonly project: string | null; readonly suite: string | null }

export const LEVELS = ['view', 'upload', 'manage'] as const
export type Level = (typeof LEVELS)[number]

/** One short value per run set, a null suite included (128 bits of SHA-256, however long the names); null for a run without a project. */
export const setKey = ({ project, suite }: RunSet): string | null => (project === null ? null : hash('sha256', JSON.stringify([project, suite]), 'hex').slice(0, 32))

/**
 * The rows of `table` (with columns `project` and `suite`) that the viewer may see: unrestricted sets, and restricted
 * ones with a grant at any level. Every read goes through here, so hidden and absent are the same empty result.
 */
export const visible = (viewer: Viewer, table: string): Fragment => {
  if (viewer.sees_all) return sql.fragment`TRUE`
  const project = sql.identifier([table, 'project'])
  const suite = sql.identifier([table, 'suite'])
  // Two lookups each: a condition that names the project with or without the suite would read all suites of the project.
  const covering = (rows: string, of: Fragment): Fragment => {
    const where = sql.fragment`SELECT 1 FROM ${sql.identifier([rows])} x WHERE ${of} AND x.project = ${project}`
    return sql.fragment`(EXISTS (${where} AND x.suite IS NULL) OR EXISTS (${where} AND x.suite = ${suite}))`
  }
  return sql.fragment`(
    NOT ${covering('restrictions', sql.fragment`TRUE`)}
    OR ${covering('grants', sql.fragment`x.user_id = ${viewer.actor.user_id}`)}
  )`
}

const HiddenRow = z.object({ project: z.string(), suite: z.string().nullable(), granted: z.string().nullable() })

/**
 * The restrictions that hide something from the viewer, for the search index, whose rows carry scope tokens. A suite
 * that the viewer was granted stays visible in a restricted project.
 */
export const listHidden = (viewer: Viewer): Query<Hidden[]> => {
  if (viewer.sees_all) return known([])
  const rows = any(sql.type(HiddenRow)`
    SELECT x.project, x.suite, s.suite AS granted
    FROM restrictions x
      LEFT JOIN grants s ON x.suite IS NULL AND s.user_id = ${viewer.actor.user_id} AND s.project = x.project AND s.suite IS NOT NULL
    WHERE NOT EXISTS (
      SELECT 1 FROM grants g WHERE g.user_id = ${viewer.actor.user_id} AND g.project = x.project AND (g.suite IS NULL OR g.suite = x.suite))
    ORDER BY x.project, x.suite, s.suite`)
  return mapped(rows, (found) =>
    [...Map.groupBy(found, ({ project, suite }) => JSON.stringify([project, suite])).values()].flatMap(([first, ...more]) =>
      first ? [{ project: first.project, suite: first.suite, except: [first, ...more].flatMap(({ granted }) => granted ?? []) }] : [],
    ),
  )
}

/**
 * What of an answer depends on who asks, as short names. Viewers of one `sees` are shown the same rows; viewers of one
 * `levels` are besides told the same levels of their own.
 */
export type ViewerClass = { readonly sees: string; readonly levels: string }

/** Shown everything, and granted nothing by name. */
const EVERYTHING: ViewerClass = { sees: 'all', levels: 'all' }

const AccessRow = z.object({ project: z.string(), suite: z.string().nullable(), level: z.enum(LEVELS).nullable() })

/** The class of a viewer. Holds until a restriction or a grant changes. */
export const findViewerClass = (viewer: Viewer): Query<ViewerClass> => {
  if (viewer.sees_all) return known(EVERYTHING)
  const rows = any(sql.type(AccessRow)`
    SELECT project, suite, NULL AS level FROM restrictions
    UNION ALL SELECT project, suite, level FROM grants WHERE user_id = ${viewer.actor.user_id}`)
  return mapped(rows, (found) => {
    const texts = (kept: typeof found): string[] => kept.map(({ project, suite, level }) => JSON.stringify([project, suite, level])).sort()
    const restricted = new Set(found.filter(({ level }) => level === null).map(({ project }) => project))
    // Any level shows a set, and where nothing is restricted a grant shows nothing more.
    const deciding = found.filter(({ project }) => restricted.has(project)).map((row) => ({ ...row, level: row.level && LEVELS[0] }))
    return { sees: restricted.size === 0 ? EVERYTHING.sees : digest(texts(deciding)), levels: found.length === 0 ? EVERYTHING.levels : digest(texts(found)) }
  })
}

const digest = (texts: readonly string[]): string => hash('sha256', JSON.stringify(texts), 'base64url')

const LevelRow = z.object({ restrictions: z.number(), granted: z.number() })

/** What the viewer may do on a set now: `view` and `upload` are free on an unrestricted set, `manage` is never waived. */
export const levelOn = (viewer: Viewer, { project, suite }: RunSet): Query<Level | null> => {
  if (viewer.sees_all) return known('manage')
  if (project === null) return known('upload')
  return mapped(
    one(sql.type(LevelRow)`
      SELECT
        (SELECT count(*) FROM restrictions x WHERE x.project = ${project} AND (x.suite IS NULL OR x.suite = ${suite})) AS restrictions,
        (SELECT coalesce(max(CASE g.level WHEN 'manage' THEN 3 WHEN 'upload' THEN 2 ELSE 1 END), 0) FROM grants g
         WHERE g.user_id = ${viewer.actor.user_id} AND g.project = ${project} AND (g.suite IS NULL OR g.suite = ${suite})) AS granted`),
    ({ restrictions, granted }) => LEVELS[Math.max(granted, restrictions === 0 ? 2 : 0) - 1] ?? null,
  )
}

/** Levels are ordered, each including the lower ones. */
export const includes = (level: Level | null, wanted: Level): boolean => level !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(wanted)
