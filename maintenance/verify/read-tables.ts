import { projections, readTables } from '../../projections/index.ts'
import { outdatedModels, modelTables, type StoredModel } from '../../projections/models.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import type { BuiltTables } from './built-tables.ts'
import type { MovedDocuments } from '../../storage/objects/moved-documents.ts'

// The messages of a comparison of the read tables with a replay of the log, for both storages.

export type TableDifference = { readonly table: string; readonly difference: string }

/** Called during a comparison. `moved` fetches documents that were moved into objects. */
export type Reporters = {
  readonly moved?: MovedDocuments | undefined
  readonly progress?: (reached: ReplayPosition) => void
  readonly comparing?: (table: string) => void
}

/** The tables of read models that this version wrote, which can be compared. */
export const comparableTables = (stored: readonly StoredModel[]): readonly string[] => {
  const outdated = outdatedModels(stored)
  return modelTables(projections.filter((model) => !outdated.includes(model)))
}

/**
 * The message for read models that another version wrote; null if there are none. They must not be passed over in
 * silence, because a changed version would hide a changed table.
 */
export const describeOutdated = (stored: readonly StoredModel[], built: BuiltTables | null): string | null => {
  const outdated = outdatedModels(stored)
  if (outdated.length === 0) return null
  const names = outdated.map(({ name }) => name).join(', ')
  const compared = built === null ? '' : `, and so are the new ones, which are built up to record ${built.position}`
  return `the read tables of ${names} were not written by this version, and are not compared; all others are as the log says${compared}. A running service builds them in the background, and so does "ers rebuild": then compare again`
}

/** The name of a new table of a build in messages. */
export const nameOfBuilt = (table: string): string => `${table} (being built)`

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
