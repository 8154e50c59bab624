import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import pg from 'pg'
import { openReader } from '../../storage/open/reader.ts'
import { listRuns } from '../../queries/runs/run-list.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { startPostgres } from '../../spec/support/postgres/server.ts'
import type { PostgresServer } from '../../spec/support/postgres/server.ts'
import { benchBody, benchKey } from '../cache-bodies.ts'
import { benchDocument } from '../documents.ts'
import { ask, load, median } from '../load.ts'
import type { Load } from '../load.ts'
import type { Say } from '../measures.ts'
import { rawLoad } from '../raw-load.ts'
import { startBenchServer } from '../servers.ts'
import type { Server } from '../servers.ts'

const ROUNDS = 3
const WARM_UP = 60
const DOCUMENTS = 160
const STORED = 300
const READS = 12_000
const COLD = 400
const ENTRIES = 2000
const ENTRY_BYTES = 4 * 1024

const PLACES = ['sqlite', 'postgres'] as const
type Place = (typeof PLACES)[number]

/**
 * The service on a PostgreSQL that syncs its commits, against itself on SQLite. `BENCH_PARTS=ingest,kept` measures
 * those alone.
 */
export const postgres = async (say: Say): Promise<void> => {
  const parts = { ingest, kept: hotReads, cold: coldList, cache: sharedCache }
  const asked = process.env['BENCH_PARTS']?.split(',')
  const database = await startPostgres({ durable: true })
  try {
    for (const [name, measure] of Object.entries(parts)) if (asked?.includes(name) ?? true) await measure(say, database)
  } finally {
    await database.stop()
  }
}

const freshUrl = async (database: PostgresServer): Promise<string> => {
  const name = `bench_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client(database.url())
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return database.url(name)
}

const start = async (place: Place, database: PostgresServer): Promise<Server> =>
  startBenchServer('service', undefined, place === 'postgres' ? { SERVICE_DATABASE_URL: await freshUrl(database) } : {})

const upload =
  (server: Server, documents: readonly Buffer[], from = 0) =>
  (agent: Agent, n: number) =>
    ask(agent, server, '/api/v1/runs', { method: 'POST', body: documents[from + n] ?? Buffer.alloc(0) })

/** Runs both in turn, so that whatever else the machine does meets both. */
const inTurn = async <R>(rounds: number, run: (place: Place) => Promise<R>): Promise<Record<Place, R[]>> => {
  const found: Record<Place, R[]> = { sqlite: [], postgres: [] }
  for (let i = 0; i < rounds; i++) for (const place of PLACES) found[place].push(await run(place))
  return found
}

const ratio = (a: number, b: number): string => (a / b).toFixed(2)

const ingest = async (say: Say, database: PostgresServer): Promise<void> => {
  const documents = Array.from({ length: WARM_UP + DOCUMENTS }, (_, n) => Buffer.from(benchDocument(n)))
  say('| uploaders | SQLite docs/s | PostgreSQL docs/s | ratio | p99 ms |')
  say('|---|---|---|---|---|')
  for (const clients of [1, 4, 16]) {
    const { sqlite, postgres } = await inTurn(ROUNDS, async (place): Promise<Load> => {
      const server = await start(place, database)
      try {
        await load(2, WARM_UP, upload(server, documents))
        const measured = await load(clients, DOCUMENTS, upload(server, documents, WARM_UP))
        if (measured.statuses[201] !== DOCUMENTS)
          throw new Error(`${place} answered ${JSON.stringify(measured.statuses)}`)
        return measured
      } finally {
        await server.stop()
      }
    })
    const of = (rounds: readonly Load[], pick: (each: Load) => number) => median(rounds.map(pick))
    const [a, b] = [of(sqlite, ({ perSecond }) => perSecond), of(postgres, ({ perSecond }) => perSecond)]
    say(
      `| ${clients} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${ratio(b, a)} | ${of(sqlite, ({ p99 }) => p99).toFixed(0)}, ${of(postgres, ({ p99 }) => p99).toFixed(0)} |`,
    )
  }
}

/** Answers that are kept: on PostgreSQL each waits for a read of the log that others may have written to. */
const hotReads = async (say: Say, database: PostgresServer): Promise<void> => {
  const documents = Array.from({ length: STORED }, (_, n) => Buffer.from(benchDocument(n, { cases: 10 })))
  say('\n| kept run list | SQLite req/s | PostgreSQL req/s | ratio |')
  say('|---|---|---|---|')
  const servers = { sqlite: await start('sqlite', database), postgres: await start('postgres', database) }
  try {
    for (const place of PLACES) await load(4, STORED, upload(servers[place], documents))
    for (const clients of [16, 1]) {
      for (const place of PLACES) await rawLoad(clients, READS / 4, servers[place], '/api/v1/runs')
      const { sqlite, postgres } = await inTurn(
        ROUNDS * 2,
        async (place) =>
          (await rawLoad(clients, READS / (clients === 1 ? 2 : 1), servers[place], '/api/v1/runs')).perSecond,
      )
      say(
        `| ${clients} connections | ${median(sqlite).toFixed(0)} | ${median(postgres).toFixed(0)} | ${ratio(median(postgres), median(sqlite))} |`,
      )
    }
  } finally {
    for (const place of PLACES) await servers[place].stop()
  }
}

const ROWS = `
  SELECT runs.*, (SELECT label FROM principals WHERE principals.id = runs.uploaded_by) AS uploaded_by_label
  FROM runs ORDER BY created_at DESC, id DESC LIMIT 51`

/** The first page without anything kept, against the same rows by a query of `pg` alone, in this process. */
const coldList = async (say: Say, database: PostgresServer): Promise<void> => {
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
  const reader = await openReader({ kind: 'postgres', url, readUrl: null, connections: 4, statementTimeout: 30_000 })
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
      const [listed, asked] = [await time(list), await time(bare)]
      // The first warms up.
      if (i > 0) {
        times.list.push(listed)
        times.bare.push(asked)
      }
    }
    say(
      `\nRun list, 50 rows, nothing kept: ${median(times.list).toFixed(2)} ms; a bare query for the same rows: ${median(times.bare).toFixed(2)} ms; ratio ${ratio(median(times.list), median(times.bare))}.`,
    )
  } finally {
    await client.end()
    await reader.close()
  }
}

/**
 * Entries of the shared cache: put, got from memory after the look that every request waits for, and got from the
 * store.
 */
const sharedCache = async (say: Say, database: PostgresServer): Promise<void> => {
  const bodies = Array.from({ length: 100 }, (_, n) => benchBody(n, ENTRY_BYTES))
  const { sqlite, postgres } = await inTurn(ROUNDS, async (place) => {
    const server = await start(place, database)
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
  say('\n| cache entries of 4 KB, 8 clients | SQLite req/s | PostgreSQL req/s | ratio |')
  say('|---|---|---|---|')
  for (const [title, name] of [
    ['PUT', 'put'],
    ['GET from the store', 'stored'],
    ['GET from memory', 'hot'],
  ] as const) {
    const [a, b] = [median(sqlite.map((each) => each[name])), median(postgres.map((each) => each[name]))]
    say(`| ${title} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${ratio(b, a)} |`)
  }
}
