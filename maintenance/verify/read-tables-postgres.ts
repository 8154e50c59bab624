import { z } from 'zod'
import { readTables } from '../../projections/index.ts'
import { listReadModels } from '../../projections/models.ts'
import { replayFrom, type ReplayPosition } from '../../projections/replay.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { DocumentAway, withMoved } from '../../storage/objects/moved-documents.ts'
import { searchEntry } from '../../storage/search/search-index.ts'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import { ask, runAsync, type Steps } from '../../storage/commit/steps.ts'
import {
  createShadowTables,
  findSchema,
  hasShadowTables,
  mayRead,
  rebuildPlan,
  shadowSchema,
} from '../../storage/postgres/shadow-tables.ts'
import { findBuiltTables } from './built-tables.ts'
import {
  comparableTables,
  describeChange,
  describeDifferences,
  describeOutdated,
  describeRow,
  describeStray,
  nameOfBuilt,
  type Reporters,
  type TableDifference,
} from './read-tables.ts'

/**
 * Compares every row of the read tables with a replay of the log into temporary tables, on the open transaction of one
 * snapshot. The caller must roll it back or end the session. Only needs the rights to read and to create temporary
 * tables. Returns how the tables differ, or null.
 */
export const compareDatabase = async (
  snapshot: PostgresConnection,
  { progress = () => {}, comparing = () => {}, moved }: Reporters = {},
): Promise<string | null> => {
  const stored = await snapshot.read(listReadModels)
  const live = await snapshot.read(findSchema)
  const shadow = shadowSchema(live)
  const built = await runAsync(
    findBuiltTables({
      planOf: (tables, versions) => rebuildPlan(live, tables, versions),
      *hasTables(tables) {
        return (yield* hasShadowTables(shadow, tables)) && (yield* ask(mayRead(shadow, tables)))
      },
    }),
    snapshot,
  )
  await runAsync(createShadowTables(live, 'pg_temp', readTables), snapshot)
  const differences: TableDifference[] = []
  const compare = async (schema: string, table: string, name = table): Promise<void> => {
    comparing(name)
    await snapshot.run(sql.unsafe`ANALYZE ${sql.identifier(['pg_temp', table])}`)
    const difference = await runAsync(rowDifference(schema, table), snapshot)
    if (difference !== null) differences.push({ table: name, difference })
  }

  // From here on, a read table without a schema name is the temporary one.
  const stopAt = built?.position ?? 0
  let [replay, position] = [replayFrom(0, { stopAt, moved }), 0]
  const replayNext = async (): Promise<ReplayPosition> => {
    await snapshot.control('SAVEPOINT batch')
    try {
      return await runAsync(replay.next(), snapshot)
    } catch (error) {
      // Another part of the snapshot may be read on after this, so the transaction stays.
      if (error instanceof DocumentAway) await snapshot.control('ROLLBACK TO SAVEPOINT batch')
      replay = replayFrom(position, { stopAt, moved })
      throw error
    }
  }
  let reached: ReplayPosition
  do {
    reached = await withMoved(moved, replayNext)
    position = reached.position
    progress(reached)
    if (reached.position === built?.position)
      for (const table of built.tables) await compare(shadow, table, nameOfBuilt(table))
  } while (reached.position < reached.size)

  for (const table of comparableTables(stored)) await compare(live, table)
  return describeDifferences(differences) ?? describeOutdated(stored, built)
}

const Column = z.object({ name: z.string(), key: z.boolean(), json: z.boolean() })

const listColumns = (live: string, table: string) =>
  any(sql.type(Column)`
    SELECT a.attname AS name, coalesce(a.attnum = ANY (x.indkey), false) AS key, format_type(a.atttypid, NULL) IN ('json', 'jsonb') AS json
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary
    WHERE n.nspname = ${live} AND c.relname = ${table} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`)

const Row = z.record(z.string(), z.unknown())

/** Describes the first row, in the order of the key, that is missing, changed or stray; null if there is none. */
function* rowDifference(live: string, table: string): Steps<string | null> {
  const columns = yield* ask(listColumns(live, table))
  const key = columns.filter((column) => column.key)
  const columnOf = (alias: string, { name, json }: z.infer<typeof Column>) =>
    json ? sql.fragment`CAST(${sql.identifier([alias, name])} AS text)` : sql.fragment`${sql.identifier([alias, name])}`
  const columnsOf = (alias: string, list = columns) =>
    sql.join(
      list.map((column) => columnOf(alias, column)),
      sql.fragment`, `,
    )
  const sameKey = sql.join(
    key.map((column) => sql.fragment`${columnOf('m', column)} = ${columnOf('r', column)}`),
    sql.fragment` AND `,
  )
  const wrong = sql.join(
    columns.map(
      (column) =>
        sql.fragment`CASE WHEN ${columnOf('m', column)} IS DISTINCT FROM ${columnOf('r', column)} THEN ${column.name} END`,
    ),
    sql.fragment`, `,
  )
  const [first] = key
  if (!first) throw new Error(`table ${table} has no primary key`)

  const changed = yield* ask(
    maybeOne(sql.type(Row)`
    SELECT ${columnsOf('r', key)}, ${columnOf('m', first)} IS NOT NULL AS is_there, concat_ws(', ', ${wrong}) AS wrong
    FROM ${sql.identifier(['pg_temp', table])} r LEFT JOIN ${sql.identifier([live, table])} m ON ${sameKey}
    WHERE ${columnOf('m', first)} IS NULL OR ROW(${columnsOf('m')}) IS DISTINCT FROM ROW(${columnsOf('r')}) ORDER BY ${columnsOf('r', key)} LIMIT 1`),
  )
  if (changed) {
    const { is_there, wrong: changedColumns, ...rowKey } = changed
    return describeChange(yield* rowDescription(live, rowKey), is_there === true ? String(changedColumns) : null)
  }
  const stray = yield* ask(
    maybeOne(sql.type(Row)`
    SELECT ${columnsOf('m', key)} FROM ${sql.identifier([live, table])} m LEFT JOIN ${sql.identifier(['pg_temp', table])} r ON ${sameKey}
    WHERE ${columnOf('r', first)} IS NULL ORDER BY ${columnsOf('m', key)} LIMIT 1`),
  )
  return stray && describeStray(yield* rowDescription(live, stray))
}

/** Names a row by its key, and by its run if the key has one. */
function* rowDescription(live: string, key: z.infer<typeof Row>): Steps<string> {
  const run_no =
    typeof key['run_no'] === 'number'
      ? key['run_no']
      : typeof key['rowid'] === 'number'
        ? searchEntry(key['rowid']).run_no
        : null
  return describeRow(key, run_no === null ? null : yield* runIdIn(live, run_no))
}

const Id = z.object({ id: z.string() })

function* runIdIn(live: string, run_no: number): Steps<string | null> {
  for (const schema of ['pg_temp', live]) {
    const run = yield* ask(
      maybeOne(sql.type(Id)`SELECT id FROM ${sql.identifier([schema, 'runs'])} WHERE run_no = ${run_no}`),
    )
    if (run) return run.id
  }
  return null
}
