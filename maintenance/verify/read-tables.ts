import { readTables } from '../../projections/index.ts'

// The messages of a comparison of the read tables with a replay of the log, for both storages.

export type TableDifference = { readonly table: string; readonly difference: string }

/**
 * The message for read tables that another version wrote. `outdated` names their projections. Null if there are none.
 */
export const describeOutdated = (outdated: readonly string[]): string | null =>
  outdated.length === 0
    ? null
    : `the read tables of ${outdated.join(', ')} were not written by this version: start the service, or run "ers rebuild", then compare again`

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
