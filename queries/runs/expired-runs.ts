import type { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { any, maybeOne, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Position } from './run-walk.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'

/** The columns that decide how long a run is retained. `created_at` is when it finished, in epoch milliseconds. */
export const AgedRun = RunRow.pick({
  id: true,
  run_no: true,
  project: true,
  suite: true,
  git_branch: true,
  created_at: true,
  document_sha256: true,
})
export type AgedRun = z.infer<typeof AgedRun>

const COLUMNS = columnList('runs', AgedRun)

/** Runs older than an instant, oldest first, after a position. */
export const listRunsBefore = (
  viewer: Viewer,
  before: number,
  { after, limit }: { readonly after: Position | null; readonly limit: number },
): Query<AgedRun[]> => {
  const start = after ? [sql.fragment`(created_at, id) > (${after.created_at}, ${after.id})`] : []
  return any(sql.type(AgedRun)`
    SELECT ${COLUMNS} FROM runs
    WHERE ${sql.and([sql.fragment`created_at < ${before}`, ...start, visible(viewer, 'runs')])}
    ORDER BY created_at, id LIMIT ${limit}`)
}

/** One run, or null. */
export const findAgedRun = (viewer: Viewer, id: string): Query<AgedRun | null> =>
  maybeOne(sql.type(AgedRun)`SELECT ${COLUMNS} FROM runs WHERE id = ${id} AND ${visible(viewer, 'runs')}`)

/** The runs with the same project, suite and branch; two nulls count as the same. */
export type RunGroup = Pick<AgedRun, 'project' | 'suite' | 'git_branch'>

const NewerRun = RunRow.pick({ created_at: true })

/**
 * Any run of the group that is newer than the given instant, or null. Takes no viewer: retention does not depend on the
 * caller.
 */
export const findNewerRun = (
  { project, suite, git_branch }: RunGroup,
  created_at: number,
): Query<{ created_at: number } | null> =>
  maybeOne(sql.type(NewerRun)`
    SELECT created_at FROM runs
    WHERE ${is('project', project)} AND ${is('suite', suite)} AND ${is('git_branch', git_branch)} AND created_at > ${created_at} LIMIT 1`)

const is = (column: string, value: string | null): Fragment =>
  value === null
    ? sql.fragment`${sql.identifier([column])} IS NULL`
    : sql.fragment`${sql.identifier([column])} = ${value}`
