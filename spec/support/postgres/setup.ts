import type { TestProject } from 'vitest/node'
import { markCurrent } from '../../../projections/models.ts'
import { migrateDatabase } from '../../../storage/postgres/migrate.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import { prepareDatabases } from './databases.ts'
import { startPostgres } from './server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this run: the directory of its socket, and its port there and on 127.0.0.1. */
    readonly postgres: { readonly major: number; readonly socketDir: string; readonly port: number }
  }
}

/**
 * Creates the tables of a template as their owner, as a first start does. It does not compare the schema with the expected one,
 * which is written by a spec.
 */
export const migrate = async (ownerUrl: string): Promise<void> => {
  await migrateDatabase(ownerUrl, { now: Date.now })
  await withSession(ownerUrl, async ({ run }) => {
    for (const statement of markCurrent(0)) await run(statement)
  })
}

/** Starts one PostgreSQL for a whole run of the specs; returns a function that stops it. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  try {
    await prepareDatabases(server.url, migrate)
  } catch (error) {
    await server.stop()
    throw error
  }
  const { major, socketDir, port } = server
  project.provide('postgres', { major, socketDir, port })
  return server.stop
}
