import { DISTRIBUTABLE_TABLES, hasCitus, listDistributed, listWithLocalRows } from './citus.ts'
import { withClient } from './migrate.ts'

/** The database has no extension `citus`. */
export class NoCitus extends Error {
  override readonly name = 'NoCitus'
}

type Wish = {
  /** Number of pieces of each table, 1 to 64,000. */
  readonly shards: number
  /** Makes the distributed tables local again. */
  readonly undo: boolean
  /** Only returns the statements. */
  readonly dryRun: boolean
}

/**
 * Distributes the tables that can be distributed by `run_no` over the workers of a Citus cluster, or makes them local
 * again. Tables that are as wished already are left alone, so that an interrupted call is repeated. Returns the
 * statements. Throws `NoCitus`, or the server's error. The functions are those of Citus 12:
 * https://docs.citusdata.com/en/stable/develop/api_udf.html.
 */
export const distributeTables = (url: string, wish: Wish): Promise<readonly string[]> =>
  withClient(url, async (client) => {
    const query = async <Row extends object>(text: string): Promise<Row[]> => (await client.query<Row>(text)).rows
    if (!(await hasCitus(query))) throw new NoCitus()
    const distributed = await listDistributed(query)
    const statements = wish.undo
      ? localStatements(distributed)
      : [...(await listWithLocalRows(query)).map(truncated), ...distributedStatements(distributed, wish.shards)]
    if (!wish.dryRun) for (const text of statements) await query(text)
    return statements
  })

const localStatements = (distributed: readonly string[]): readonly string[] =>
  DISTRIBUTABLE_TABLES.filter((table) => distributed.includes(table)).map(
    (table) => `SELECT undistribute_table('${table}')`,
  )

/** Removes the rows of a distributed table that were copied. What an erasure removes must not stay on the coordinator. */
const truncated = (table: string): string => `SELECT truncate_local_data_after_distributing_table('${table}')`

const distributedStatements = (distributed: readonly string[], shards: number): readonly string[] => {
  const missing = DISTRIBUTABLE_TABLES.filter((table) => !distributed.includes(table))
  if (missing.length === 0) return []
  const [first] = DISTRIBUTABLE_TABLES
  return [
    // Reads of documents call it where the rows are.
    "SELECT create_distributed_function('part_of_frame(bytea, integer)')",
    ...missing.flatMap((table) => [
      `SELECT create_distributed_table('${table}', 'run_no', ${
        table === first ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => '${first}'`
      })`,
      truncated(table),
    ]),
  ]
}
