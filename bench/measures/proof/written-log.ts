import { createHash } from 'node:crypto'
import pg from 'pg'
import { appendLeaf, emptyFrontier, encodeFrontier, type Frontier } from '../../../storage/log/merkle.ts'
import { migratePostgres } from '../../../storage/postgres/migrate.ts'
import { insertRows, sql, statement } from '../../../storage/sql.ts'
import { connect } from '../../../storage/sqlite/connection.ts'
import { migrateSqlite } from '../../../storage/sqlite/migrate.ts'

/** How many records the logs of these measures have. */
export const RECORDS = Number(process.env['BENCH_RECORDS'] ?? 1_000_000)
const RECORDS_PER_STATEMENT = 10_000

// Logs as a version without nodes wrote them, of records whose bodies were erased: proofs read no body.
const TYPE = 'CachePruned'
const COMMITMENT = Buffer.alloc(32)

/** The leaf of the record with this index. PostgreSQL computes the same ones. */
const leafAt = (index: number): Buffer => createHash('sha256').update(String(index)).digest()

/** Writes a log of `RECORDS` records into a new database of SQLite. */
export const writeLogFile = (file: string): void => {
  const connection = connect(file, { readonly: false })
  migrateSqlite(connection, 'service', () => 0)
  connection.database.pragma('synchronous = OFF')
  let frontier = emptyFrontier()
  connection.database.transaction(() => {
    while (frontier.size < RECORDS) {
      const rows = Array.from({ length: Math.min(RECORDS_PER_STATEMENT, RECORDS - frontier.size) }, () => {
        const leaf = leafAt(frontier.size)
        frontier = appendLeaf(frontier, leaf)
        return [frontier.size, 1, TYPE, COMMITMENT, leaf]
      })
      connection.run(insertRows('events', ['seq', 'recorded_at', 'type', 'commitment', 'leaf'], rows))
    }
    connection.run(
      statement`INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, ${frontier.size}, ${sql.binary(encodeFrontier(frontier))}, 1)`,
    )
  })()
  connection.close()
}

/** Writes the same log into an empty PostgreSQL database. */
export const writeLogDatabase = async (url: string): Promise<void> => {
  await migratePostgres(url, { store: 'service', now: () => 0 })
  let frontier: Frontier = emptyFrontier()
  while (frontier.size < RECORDS) frontier = appendLeaf(frontier, leafAt(frontier.size))
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(
      `INSERT INTO events (seq, recorded_at, type, commitment, leaf)
       SELECT seq, 1, '${TYPE}', $2, sha256(convert_to((seq - 1)::text, 'UTF8')) FROM generate_series(1, $1::bigint) seq`,
      [RECORDS, COMMITMENT],
    )
    await client.query('INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, $1, $2, 1)', [
      RECORDS,
      encodeFrontier(frontier),
    ])
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}
