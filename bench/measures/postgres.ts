import type { Agent } from 'node:http'
import pg from 'pg'
import { openReader } from '../../storage/open/reader.ts'
import { listRuns } from '../../queries/runs/run-list.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { PostgresServer } from '../../spec/support/postgres/server.ts'
import { benchBody, benchKey } from '../cache-bodies.ts'
import { benchDocument } from '../documents.ts'
import { ask, load, median, type Load } from '../load.ts'
import type { Print } from '../measures.ts'
import { freshUrl, startPostgres } from '../postgres.ts'
import { rawLoad } from '../raw-load.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 3
const WARM_UP = 60
const DOCUMENTS = 160
const STORED = 300
const READS = 12_000
const COLD = 400
const ENTRIES = 2000
const ENTRY_BYTES = 4 * 1024

const STORES = ['sqlite', 'postgres'] as const
type Store = (typeof STORES)[number]

/**
 * Compares two stores of the service: a PostgreSQL that syncs each commit to disk, and SQLite.
 * `BENCH_PARTS=ingest,kept` measures only these parts.
 */
export const postgres = async (print: Print): Promise<void> => {
  const parts = { ingest, kept: hotReads, cold: coldList, cache: sharedCache }
  const selected = process.env['BENCH_PARTS']?.split(',')
  const database = await startPostgres({ durable: true })
  try {
    for (const [name, measure] of Object.entries(parts))
      if (selected?.includes(name) ?? true) await measure(print, database)
  } finally {
    await database.stop()
  }
}

const start = async (store: Store, database: PostgresServer): Promise<Server> =>
  startBenchServer('service', undefined, store === 'postgres' ? { SERVICE_DATABASE_URL: await freshUrl(database) } : {})

const upload =
  (server: Server, documents: readonly Buffer[], from = 0) =>
  (agent: Agent, n: number) =>
    ask(agent, server, '/api/v1/runs', { method: 'POST', body: documents[from + n] ?? Buffer.alloc(0) })

/** Alternates between both stores, so that other load on the machine affects both. */
const alternate = async <R>(rounds: number, run: (store: Store) => Promise<R>): Promise<Record<Store, R[]>> => {
  const results: Record<Store, R[]> = { sqlite: [], postgres: [] }
  for (let i = 0; i < rounds; i++) for (const store of STORES) results[store].push(await run(store))
  return results
}

const ratio = (a: number, b: number): string => (a / b).toFixed(2)

const ingest = async (print: Print, database: PostgresServer): Promise<void> => {
  const documents = Array.from({ length: WARM_UP + DOCUMENTS }, (_, n) => Buffer.from(benchDocument(n)))
  print('| uploaders | SQLite docs/s | PostgreSQL docs/s | ratio | p99 ms |')
  print('|---|---|---|---|---|')
  for (const clients of [1, 4, 16]) {
    const { sqlite, postgres } = await alternate(ROUNDS, async (store): Promise<Load> => {
      const server = await start(store, database)
      try {
        await load(2, WARM_UP, upload(server, documents))
        const measured = await load(clients, DOCUMENTS, upload(server, documents, WARM_UP))
        if (measured.statuses[201] !== DOCUMENTS)
          throw new Error(`${store} answered ${JSON.stringify(measured.statuses)}`)
        return measured
      } finally {
        await server.stop()
      }
    })
    const medianOf = (rounds: readonly Load[], pick: (load: Load) => number) => median(rounds.map(pick))
    const [a, b] = [medianOf(sqlite, ({ perSecond }) => perSecond), medianOf(postgres, ({ perSecond }) => perSecond)]
    print(
      `| ${clients} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${ratio(b, a)} | ${medianOf(sqlite, ({ p99 }) => p99).toFixed(0)}, ${medianOf(postgres, ({ p99 }) => p99).toFixed(0)} |`,
    )
  }
}

/** Cached responses. On PostgreSQL each waits for a read of the log, because other replicas may have written to it. */
const hotReads = async (print: Print, database: PostgresServer): Promise<void> => {
  const documents = Array.from({ length: STORED }, (_, n) => Buffer.from(benchDocument(n, { cases: 10 })))
  print('\n| cached run list | SQLite req/s | PostgreSQL req/s | ratio |')
  print('|---|---|---|---|')
  const servers = { sqlite: await start('sqlite', database), postgres: await start('postgres', database) }
  try {
    for (const store of STORES) await load(4, STORED, upload(servers[store], documents))
    for (const clients of [16, 1]) {
      for (const store of STORES) await rawLoad(clients, READS / 4, servers[store], '/api/v1/runs')
      const { sqlite, postgres } = await alternate(
        ROUNDS * 2,
        async (store) =>
          (await rawLoad(clients, READS / (clients === 1 ? 2 : 1), servers[store], '/api/v1/runs')).perSecond,
      )
      print(
        `| ${clients} connections | ${median(sqlite).toFixed(0)} | ${median(postgres).toFixed(0)} | ${ratio(median(postgres), median(sqlite))} |`,
      )
    }
  } finally {
    for (const store of STORES) await servers[store].stop()
  }
}

const ROWS = `
  SELECT runs.*, (SELECT label FROM principals WHERE principals.id = runs.uploaded_by) AS uploaded_by_label
  FROM runs ORDER BY created_at DESC, id DESC LIMIT 51`

/**
 * Compares the first page of the run list, without a cached response, with a bare `pg` query for the same rows. Both
 * run in this process.
 */
const coldList = async (print: Print, database: PostgresServer): Promise<void> => {
  const url = await freshUrl(database)
  const server = await startBenchServer('service', undefined, { SERVICE_DATABASE_URL: url })
  await load(
    4,
    STORED,
    upload(
      server,
      Array.from({ length: STORED }, (_, n) => Buffer.from(benchDocument(n, { cases: 10 }))),
    ),
  )
  await server.stop()
  const reader = await openReader({ kind: 'postgres', url, readUrl: null, connections: 4, statementTimeoutMs: 30_000 })
  const client = new pg.Client(url)
  await client.connect()
  try {
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const from = performance.now()
      for (let i = 0; i < COLD; i++) await work()
      return (performance.now() - from) / COLD
    }
    const list = () => listRuns(reader, SYSTEM, {}, { limit: 50 })
    const bare = () => client.query(ROWS)
    const times = { list: [] as number[], bare: [] as number[] }
    for (let i = 0; i < ROUNDS + 1; i++) {
      const [listMs, bareMs] = [await time(list), await time(bare)]
      // The first round is the warm-up.
      if (i > 0) {
        times.list.push(listMs)
        times.bare.push(bareMs)
      }
    }
    print(
      `\nRun list, 50 rows, nothing cached: ${median(times.list).toFixed(2)} ms; a bare query for the same rows: ${median(times.bare).toFixed(2)} ms; ratio ${ratio(median(times.list), median(times.bare))}.`,
    )
  } finally {
    await client.end()
    await reader.close()
  }
}

/**
 * Measures entries of the shared cache: PUT, GET from memory (after the read of the log that every request waits for),
 * and GET from the store.
 */
const sharedCache = async (print: Print, database: PostgresServer): Promise<void> => {
  const bodies = Array.from({ length: 100 }, (_, n) => benchBody(n, ENTRY_BYTES))
  const { sqlite, postgres } = await alternate(ROUNDS, async (store) => {
    const server = await start(store, database)
    const entry = (n: number): string => `/api/v1/cache/${benchKey(n)}`
    try {
      const put = await load(8, ENTRIES, (agent, n) =>
        ask(agent, server, entry(n), { method: 'PUT', body: bodies[n % bodies.length] ?? Buffer.alloc(0) }),
      )
      const stored = await load(8, ENTRIES, (agent, n) => ask(agent, server, entry(n)))
      const hot = await rawLoad(8, READS, server, entry(1))
      return { put: put.perSecond, stored: stored.perSecond, hot: hot.perSecond }
    } finally {
      await server.stop()
    }
  })
  print('\n| cache entries of 4 KB, 8 clients | SQLite req/s | PostgreSQL req/s | ratio |')
  print('|---|---|---|---|')
  for (const [title, name] of [
    ['PUT', 'put'],
    ['GET from the store', 'stored'],
    ['GET from memory', 'hot'],
  ] as const) {
    const [a, b] = [median(sqlite.map((each) => each[name])), median(postgres.map((each) => each[name]))]
    print(`| ${title} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${ratio(b, a)} |`)
  }
}
