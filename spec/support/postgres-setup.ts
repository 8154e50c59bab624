import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../storage/migrate-postgres.ts'
import { prepareDatabases } from './postgres-databases.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this run: where its socket lies, and its port there and on 127.0.0.1. */
    readonly postgres: { readonly major: number; readonly socketDir: string; readonly port: number }
  }
}

/** Makes the tables of a template as their owner. */
const migrate = async (ownerUrl: string): Promise<void> => {
  await migrateDatabase(ownerUrl, { now: Date.now })
}

/** Starts one PostgreSQL for a whole run of specifications; what it returns ends it. */
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
