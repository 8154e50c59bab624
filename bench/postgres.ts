import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { PostgresServer } from '../spec/support/postgres/server.ts'

export { startPostgres } from '../spec/support/postgres/server.ts'

/** The address of a new, empty database. */
export const freshUrl = async (database: PostgresServer): Promise<string> => {
  const name = `bench_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client(database.url())
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return database.url(name)
}
