import { z } from 'zod'
import { readTables } from '../../projections/index.ts'
import { listActive, outdatedProjections, replayFrom } from '../../projections/replay.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { placeOf } from '../../storage/search/search-index.ts'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import { ask, runInTurn } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import { createShadowTables, findSchema } from '../../storage/postgres/shadow-tables.ts'

type Options = { readonly progress?: (reached: ReplayPosition) => void; readonly comparing?: (table: string) => void }

/**
 * Compares the read tables, row for row, with a replay of the log into temporary tables, all on the open transaction of
 * one snapshot; its end must be a rollback, or at least that of the session. Needs the right to make temporary tables
 * and to read, nothing else. Answers how they differ, or null.
 */
export const compareDatabase = async (
  snapshot: PostgresConnection,
  { progress = () => {}, comparing = () => {} }: Options = {},
): Promise<string | null> => {
  const old = outdatedProjections(await snapshot.read(listActive))
  if (old.length > 0)
    return `the read tables of ${old.join(', ')} were not written by this version: start the service, or run "ers rebuild", then compare again`
  const live = await snapshot.read(findSchema)
  await runInTurn(createShadowTables(live, 'pg_temp', readTables), snapshot)
  // From here on a read table that is named without its schema is the temporary one.
  const { next } = replayFrom(0)
  let reached: ReplayPosition
  do {
    reached = await runInTurn(next(), snapshot)
    progress(reached)
  } while (reached.position < reached.size)

  const found: Array<{ readonly table: string; readonly difference: string }> = []
  for (const table of readTables) {
    comparing(table)
    await snapshot.run(sql.unsafe`ANALYZE ${sql.identifier(['pg_temp', table])}`)
    const difference = await runInTurn(rowDifference(live, table), snapshot)
    if (difference !== null) found.push({ table, difference })
  }
  const [first, ...others] = found
  if (!first) return null
  const also = others.length === 0 ? '' : `; so are ${others.map(({ table }) => table).join(', ')}`
  return `${found.length} of ${readTables.length} read tables are not what the log gives. ${first.table}: ${first.difference}${also}. "ers rebuild" makes them anew`
}

const Column = z.object({ name: z.string(), key: z.boolean(), json: z.boolean() })

const listColumns = (live: string, table: string) =>
  any(sql.type(Column)`
    SELECT a.attname AS name, coalesce(a.attnum = ANY (x.indkey), false) AS key, format_type(a.atttypid, NULL) IN ('json', 'jsonb') AS json
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary
    WHERE n.nspname = ${live} AND c.relname = ${table} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`)

const Row = z.record(z.string(), z.unknown())

/** The first row, in the order of the key, that is missing, changed or too many. */
function* rowDifference(live: string, table: string): Steps<string | null> {
  const columns = yield* ask(listColumns(live, table))
  const key = columns.filter((column) => column.key)
  const side = (of: string, { name, json }: z.infer<typeof Column>) =>
    json ? sql.fragment`CAST(${sql.identifier([of, name])} AS text)` : sql.fragment`${sql.identifier([of, name])}`
  const all = (of: string, list = columns) =>
    sql.join(
      list.map((column) => side(of, column)),
      sql.fragment`, `,
    )
  const on = sql.join(
    key.map((column) => sql.fragment`${side('m', column)} = ${side('r', column)}`),
    sql.fragment` AND `,
  )
  const wrong = sql.join(
    columns.map(
      (column) =>
        sql.fragment`CASE WHEN ${side('m', column)} IS DISTINCT FROM ${side('r', column)} THEN ${column.name} END`,
    ),
    sql.fragment`, `,
  )
  const [first] = key
  if (!first) throw new Error(`table ${table} has no primary key`)

  const one = yield* ask(
    maybeOne(sql.type(Row)`
    SELECT ${all('r', key)}, ${side('m', first)} IS NOT NULL AS is_there, concat_ws(', ', ${wrong}) AS wrong
    FROM ${sql.identifier(['pg_temp', table])} r LEFT JOIN ${sql.identifier([live, table])} m ON ${on}
    WHERE ${side('m', first)} IS NULL OR ROW(${all('m')}) IS DISTINCT FROM ROW(${all('r')}) ORDER BY ${all('r', key)} LIMIT 1`),
  )
  if (one) {
    const { is_there, wrong: columns_, ...row } = one
    return `${yield* told(live, row)} ${is_there === true ? `differs in ${String(columns_)}` : 'is missing'}`
  }
  const stray = yield* ask(
    maybeOne(sql.type(Row)`
    SELECT ${all('m', key)} FROM ${sql.identifier([live, table])} m LEFT JOIN ${sql.identifier(['pg_temp', table])} r ON ${on}
    WHERE ${side('r', first)} IS NULL ORDER BY ${all('m', key)} LIMIT 1`),
  )
  return stray && `${yield* told(live, stray)} should not be there`
}

/** A row by its key, and by the run it belongs to where it has one. */
function* told(live: string, row: z.infer<typeof Row>): Steps<string> {
  const key = Object.entries(row)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ')
  const run_no =
    typeof row['run_no'] === 'number'
      ? row['run_no']
      : typeof row['rowid'] === 'number'
        ? placeOf(row['rowid']).run_no
        : null
  const run = run_no === null ? null : yield* runOf(live, run_no)
  return run === null ? `the row of ${key}` : `the row of ${key} (run ${run})`
}

const Id = z.object({ id: z.string() })

function* runOf(live: string, run_no: number): Steps<string | null> {
  for (const schema of ['pg_temp', live]) {
    const run = yield* ask(
      maybeOne(sql.type(Id)`SELECT id FROM ${sql.identifier([schema, 'runs'])} WHERE run_no = ${run_no}`),
    )
    if (run) return run.id
  }
  return null
}
