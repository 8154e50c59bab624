import { sql, type Fragment, type Schema, type Typed } from '../../storage/sql.ts'
import type { Viewer } from './viewer.ts'

/**
 * The rows of `table` (with columns `project` and `suite`) that the viewer may see: unrestricted sets, and restricted
 * ones with a grant at any level; of a limited key, only rows within its limit. Every read uses this condition, so hidden and absent rows give the same result.
 */
export const visible = (viewer: Viewer, table: string): Fragment => {
  const { limit } = viewer
  if (!limit) return viewer.sees_all ? sql.fragment`TRUE` : permitted(viewer, table)
  return sql.and([
    sql.fragment`${sql.identifier([table, 'project'])} = ${limit.project}`,
    ...(limit.suite === null ? [] : [sql.fragment`${sql.identifier([table, 'suite'])} = ${limit.suite}`]),
    ...(limit.all ? [] : [permitted(viewer, table)]),
  ])
}

/** The rows that restrictions and grants let the account of the viewer see. */
const permitted = (viewer: Viewer, table: string): Fragment => {
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

/**
 * A query of a run by its id, if the viewer may see it. `build` gets this condition, and adds no other values: it is called once
 * for each kind of viewer, because to build a long text takes half as long as to run it.
 */
export const ofVisibleRun = <S extends Schema>(
  build: (condition: Fragment) => Typed<S>,
): ((viewer: Viewer, id: string) => Typed<S>) => {
  const built = new Map<string, Typed<S>>()
  return (viewer, id) => {
    const condition = sql.fragment`runs.id = ${id} AND ${visible(viewer, 'runs')}`
    const known = built.get(condition.sql) ?? build(condition)
    built.set(condition.sql, known)
    const { values } = condition
    return { ...known, values, ...(known.postgres && { postgres: { ...known.postgres, values } }) }
  }
}
