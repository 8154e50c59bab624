import { sql, type Fragment } from '../../storage/sql.ts'
import type { Viewer } from './viewer.ts'

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
