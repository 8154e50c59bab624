import type { Token } from '../../../storage/storage.ts'
import { onPostgres } from './open-fresh.ts'
import type { SpecStorage } from './open-storage.ts'

/**
 * The lines of a query's plan. PostgreSQL reads small tables whole and sorts what is few: it is asked for a plan that
 * does neither wherever an index allows.
 */
export const queryPlan = async ({ sql }: Pick<SpecStorage, 'sql'>, token: Token): Promise<string[]> => {
  if (!onPostgres) {
    const bound = Object.fromEntries(token.values.map((value, i) => [`slonik_${i + 1}`, value]))
    return (await sql.rows(`EXPLAIN QUERY PLAN ${token.sql}`, bound)).map(({ detail }) => String(detail))
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
 * What a plan must not hold that reads rows from an index, in its order. PostgreSQL sorts what it reads from several
 * ranges of one: that is no order yet.
 */
export const NO_INDEX = onPostgres ? /Seq Scan/ : /TEMP B-TREE|^SCAN (?!place$|halves|CONSTANT)/
