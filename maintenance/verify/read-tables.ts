import { projections, readTables } from '../../projections/index.ts'
import { outdatedModels, tablesOf, type StoredModel } from '../../projections/models.ts'
import type { ReplayPosition } from '../../projections/replay.ts'

// The messages of a comparison of the read tables with a replay of the log, for both storages.

export type TableDifference = { readonly table: string; readonly difference: string }

/** Called during a comparison. */
export type Reporters = {
  readonly progress?: (reached: ReplayPosition) => void
  readonly comparing?: (table: string) => void
}

/**
 * Separates the read models whose tables can be compared from those that another version wrote. The latter must not be
 * passed over in silence, because a changed version would hide a changed table.
 */
export const comparable = (
  stored: readonly StoredModel[],
): { readonly tables: readonly string[]; readonly outdated: string | null } => {
  const outdated = outdatedModels(stored)
  return {
    tables: tablesOf(projections.filter((model) => !outdated.includes(model))),
    outdated:
      outdated.length === 0
        ? null
        : `the read tables of ${outdated.map(({ name }) => name).join(', ')} were not written by this version, and are not compared; all others are as the log says. A running service builds them in the background, and so does "ers rebuild": then compare again`,
  }
}

/** The message for the tables that differ, the first with its difference; null if there are none. */
export const describeDifferences = ([first, ...others]: readonly TableDifference[]): string | null => {
  if (!first) return null
  const rest = others.length === 0 ? '' : `. Other tables that differ: ${others.map(({ table }) => table).join(', ')}`
  return `${others.length + 1} of ${readTables.length} read tables differ from the log. ${first.table}: ${first.difference}${rest}. Run "ers rebuild" to rebuild them`
}

/** How a row in the table differs from the replayed one: `wrong` lists the columns, null if the row is missing. */
export const describeChange = (row: string, wrong: string | null): string =>
  wrong === null ? `${row} is missing` : `${row} differs in ${wrong}`

/** The message for a row in the table that the replay does not have. */
export const describeStray = (row: string): string => `${row} should not be there`

/** Names a row by its key, and by its run if it has one. */
export const describeRow = (key: Readonly<Record<string, unknown>>, run: string | null): string => {
  const columns = Object.entries(key)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ')
  return run === null ? `the row of ${columns}` : `the row of ${columns} (run ${run})`
}
