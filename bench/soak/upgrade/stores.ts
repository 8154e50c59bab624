import { join } from 'node:path'
import { startPostgres } from '../../../spec/support/postgres/server.ts'
import { databaseStore } from '../../../spec/support/stores/database.ts'
import { sqlOnDatabase, sqlOnFile, type PlainSql } from '../../../spec/support/stores/plain-sql.ts'
import { benchDocument } from '../../documents.ts'
import { fillStore } from '../../fill-store.ts'
import { startSoakServer, temporaryFolder, type SoakServer } from '../server.ts'
import { setting } from '../soak.ts'

const CASES_PER_RUN = 100

/** A store with runs, before an upgrade. */
export type UpgradedStore = {
  readonly name: string
  readonly runs: number
  /** Its options of the command line. */
  readonly options: readonly string[]
  readonly start: (options?: Parameters<typeof startSoakServer>[0]) => Promise<SoakServer>
  readonly sql: <T>(work: (sql: PlainSql) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

const runsOfSetting = (): number => Math.ceil(setting('SOAK_CASES', 100_000) / CASES_PER_RUN)

const using =
  (open: () => PlainSql): UpgradedStore['sql'] =>
  async (work) => {
    const sql = open()
    try {
      return await work(sql)
    } finally {
      await sql.close()
    }
  }

export const sqliteStore = async (): Promise<UpgradedStore> => {
  const runs = runsOfSetting()
  const dataDir = temporaryFolder()
  await fillStore(dataDir, runs, (n) => benchDocument(n))
  return {
    name: 'SQLite',
    runs,
    options: ['--data-dir', dataDir],
    start: (options) => startSoakServer({ dataDir, ...options }),
    sql: using(() => sqlOnFile(join(dataDir, 'service.db'))),
    close: async () => {},
  }
}

/** A database of a durable PostgreSQL, which belongs to a role without other rights. */
export const postgresStore = async (): Promise<UpgradedStore> => {
  const runs = runsOfSetting()
  const postgres = await startPostgres({ durable: true, settings: { autovacuum: 'on' } })
  const superuser = sqlOnDatabase(postgres.url())
  await superuser.execute('CREATE ROLE ers LOGIN')
  await superuser.execute('CREATE DATABASE ers OWNER ers')
  await superuser.close()
  const url = postgres.url('ers', 'ers')
  await fillStore(databaseStore(url), runs, (n) => benchDocument(n))
  return {
    name: `PostgreSQL ${postgres.major}`,
    runs,
    options: ['--database-url', url],
    start: ({ env = {}, ...options } = {}) =>
      startSoakServer({ env: { SERVICE_DATABASE_URL: url, ...env }, ...options }),
    sql: using(() => sqlOnDatabase(url)),
    close: postgres.stop,
  }
}

type Model = { readonly name: string; readonly state: string }

/** Whether a server reports a read model that is not current. */
export const isBuilding = async ({ url, headers }: SoakServer): Promise<boolean> => {
  const answer = await fetch(`${url}/api/v1/server`, { headers })
  const { read_tables } = (await answer.json()) as { readonly read_tables: readonly Model[] }
  return read_tables.some(({ state }) => state !== 'current')
}

/** How long the swap of tables made commits wait, in milliseconds; null if the line of a log does not say so. */
export const commitsWaited = (line: string): number | null => {
  const [, ms] = /"commits_waited_ms":(\d+)/.exec(line) ?? []
  return ms === undefined ? null : Number(ms)
}

/** The longest time that a swap may make commits wait, in milliseconds. */
export const MAX_WAIT_MS = 200
