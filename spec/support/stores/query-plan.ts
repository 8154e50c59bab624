import type { Token } from '../../../storage/storage.ts'
import { onPostgres } from './open-fresh.ts'
import type { SpecStorage } from './open-storage.ts'

/**
 * Returns the lines of a query's plan. PostgreSQL reads small tables fully and sorts few rows, so the
 * settings make it avoid both where an index allows.
 */
export const queryPlan = async ({ sql }: Pick<SpecStorage, 'sql'>, token: Token): Promise<string[]> => {
  if (!onPostgres) {
    const text = token.sql.replaceAll(/\$slonik_(\d+)/g, '+?$1')
    return (await sql.rows(`EXPLAIN QUERY PLAN ${text}`, token.values)).map(({ detail }) => String(detail))
  }
  const { sql: text, values } = token.postgres ?? token
  await sql.execute(
    'SET enable_seqscan = off; SET enable_sort = off; SET enable_incremental_sort = off; SET enable_bitmapscan = off',
  )
  return (await sql.rows(`EXPLAIN ${text.replaceAll(/\$slonik_(\d+)/g, '$$$1')}`, values as readonly unknown[])).map(
    (row) => String(row['QUERY PLAN']),
  )
}

/**
 * Matches a line of a plan that reads a table without an index, or, on SQLite, that sorts rows. On PostgreSQL a sort is
 * accepted, because it sorts the rows that it reads from several ranges of an index.
 */
export const UNINDEXED_PLAN = onPostgres ? /Seq Scan/ : /TEMP B-TREE|^SCAN (?!place$|halves|CONSTANT)/
