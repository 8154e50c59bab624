import type { TestProject } from 'vitest/node'
import { prepareDatabase } from '../../../runtime/writer/prepare-database.ts'
import { prepareDatabases } from './databases.ts'
import { startPostgres } from './server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this run: where its socket lies, and its port there and on 127.0.0.1. */
    readonly postgres: { readonly major: number; readonly socketDir: string; readonly port: number }
  }
}

/** Makes the tables of a template as their owner, as a first start does. */
const migrate = async (ownerUrl: string): Promise<void> => {
  const nothing = (): void => {}
  await prepareDatabase(
    { kind: 'postgres', url: ownerUrl, readUrl: null, connections: 1, statementTimeout: 30_000 },
    { now: Date.now, log: nothing, onMigrated: nothing, onRebuild: nothing },
  )
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
