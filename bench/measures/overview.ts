import type { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { benchBody, benchKey } from '../cache-bodies.ts'
import {
  note,
  printTable,
  ROUNDS,
  schemaVersionOf,
  selectedContenders,
  startContender,
  type Contender,
  type Results,
} from '../contenders.ts'
import { benchDocument } from '../documents.ts'
import { ask, load, type Load } from '../load.ts'
import type { Print } from '../measures.ts'
import { startPostgres } from '../postgres.ts'
import { rawLoad } from '../raw-load.ts'
import type { Server } from '../servers.ts'

const KIB = 1024
const SMALL = { bytes: 4 * KIB, puts: 2000, gets: 10_000 } as const
const LARGE = { bytes: 1024 * KIB, puts: 60, gets: 600 } as const
/** Time from the start until a server has finished what it does after its first answer. */
const SETTLE_MS = 1500

type Note = (title: string, measured: number) => void

/**
 * Measures everything except reads: start, memory, uploads of small and usual documents, reads during uploads, export,
 * and the cache. Memory answers only the rows that say so, and the list between two uploads.
 */
export const overview = async (print: Print): Promise<void> => {
  const contenders = selectedContenders()
  const database = contenders.includes('postgres') ? await startPostgres({ durable: true }) : null
  const results: Results<number> = new Map()
  const withServer = async (
    contender: Contender,
    use: (server: Server, note: Note) => Promise<void>,
  ): Promise<void> => {
    const server = await startContender(contender, database)
    try {
      await use(server, (title, measured) => note(results, title, contender, measured))
    } finally {
      await server.stop()
    }
  }
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const contender of contenders)
        for (const measure of [
          start,
          smallDocuments,
          uploads(1),
          uploads(4),
          uploads(16),
          readsDuringUploads,
          largeExport,
          cacheEntries,
        ])
          await withServer(contender, measure)
  } finally {
    await database?.stop()
  }
  const unitOf = (title: string): string => title.slice(title.lastIndexOf(',') + 2)
  printTable(print, contenders, results, (title) => {
    const unit = unitOf(title)
    return [{ unit: '', pick: (value) => value, digits: unit === 'ms' ? 2 : 0 }]
  })
}

const post = (server: Server, body: Buffer) => (agent: Agent) =>
  ask(agent, server, '/api/v1/runs', { method: 'POST', body })

const documentsOf = (
  server: Server,
  count: number,
  options: { cases?: number; bytesPerCase?: number } = {},
): Buffer[] =>
  Array.from({ length: count }, (_, n) =>
    Buffer.from(benchDocument(n, { ...options, schemaVersion: schemaVersionOf(server) })),
  )

const uploadAll = (server: Server, clients: number, documents: readonly Buffer[]): Promise<Load> =>
  load(clients, documents.length, (agent, n) => post(server, documents[n] ?? Buffer.alloc(0))(agent))

/** The server has just answered its first request. */
const start = async (server: Server, note: Note): Promise<void> => {
  note('start to healthy, ms', server.startMs)
  await wait(SETTLE_MS)
  const timed = async (path: string): Promise<number> => {
    const { perSecond } = await load(1, 1, (agent) => ask(agent, server, path))
    return 1000 / perSecond
  }
  note('first list, ms', await timed('/api/v1/runs?limit=50'))
  note('first search, ms', await timed('/api/v1/search?q=refund%20order'))
  note('idle memory, MiB', server.memory().now)
}

const smallDocuments = async (server: Server, note: Note): Promise<void> => {
  const documents = documentsOf(server, 2200, { cases: 2, bytesPerCase: 700 })
  await uploadAll(server, 8, documents.slice(0, 200))
  note('runs of 2 cases, 8 uploaders, docs/s', (await uploadAll(server, 8, documents.slice(200))).perSecond)
}

const uploads =
  (clients: number) =>
  async (server: Server, note: Note): Promise<void> => {
    const documents = documentsOf(server, 260)
    await uploadAll(server, 2, documents.slice(0, 100))
    const before = server.cpu()
    const { perSecond } = await uploadAll(server, clients, documents.slice(100))
    note(`runs of 100 cases, ${clients} uploaders, docs/s`, perSecond)
    note(`runs of 100 cases, ${clients} uploaders, CPU per document, ms`, ((server.cpu() - before) / 160) * 1000)
    if (clients === 16) note('peak memory under 16 uploaders, MiB', server.memory().peak)
    const again = await uploadAll(server, clients, documents.slice(100))
    note(`the same runs again, ${clients} uploaders, docs/s`, again.perSecond)
  }

const readsDuringUploads = async (server: Server, note: Note): Promise<void> => {
  const documents = documentsOf(server, 300)
  await uploadAll(server, 4, documents.slice(0, 100))
  let uploading = true
  const uploaded = uploadAll(server, 4, documents.slice(100)).finally(() => (uploading = false))
  const times: number[] = []
  const reading = load(1, 1e9, async (agent) => {
    if (!uploading) throw new Error('done')
    const answer = await ask(agent, server, '/api/v1/runs?limit=50')
    times.push(answer.ms)
    return answer
  }).catch(() => null)
  await Promise.all([uploaded, reading])
  times.sort((a, b) => a - b)
  note('list while 4 upload, p50, ms', times[Math.floor(times.length * 0.5)] ?? 0)
  note('list while 4 upload, p99, ms', times[Math.floor(times.length * 0.99)] ?? 0)
}

const largeExport = async (server: Server, note: Note): Promise<void> => {
  const schemaVersion = schemaVersionOf(server)
  const bodies = [0, 1, 2].map((n) => Buffer.from(benchDocument(n, { cases: 2000, schemaVersion })))
  const { seconds } = await uploadAll(server, 1, bodies)
  note('upload of 2,000 cases, ms', (seconds * 1000) / bodies.length)
  const { p50 } = await load(1, 30, (agent, n) => ask(agent, server, `/api/v1/runs/bench-0000000${n % 3}/export`))
  note('export of 2,000 cases, p50, ms', p50)
}

const cacheEntries = async (server: Server, note: Note): Promise<void> => {
  const clients = 8
  let next = 0
  const put = async (bytes: number, count: number): Promise<number> => {
    const bodies = Array.from({ length: 100 }, (_, i) => benchBody(i, bytes))
    const job = (agent: Agent): ReturnType<typeof ask> => {
      const n = next++
      return ask(agent, server, `/api/v1/cache/${benchKey(n)}`, {
        method: 'PUT',
        body: bodies[n % 100] ?? Buffer.alloc(0),
      })
    }
    await load(clients, Math.ceil(count / 8), job)
    return (await load(clients, count, job)).perSecond
  }
  note('cache PUT 4 KB, req/s', await put(SMALL.bytes, SMALL.puts))
  note(
    'cache GET 4 KB (from memory), req/s',
    (await rawLoad(clients, SMALL.gets, server, `/api/v1/cache/${benchKey(100)}`)).perSecond,
  )
  const missed = await load(clients, SMALL.puts, (agent, n) => ask(agent, server, `/api/v1/cache/${benchKey(1e9 + n)}`))
  note('cache miss, req/s', missed.perSecond)
  const firstLarge = next
  note('cache PUT 1 MB, req/s', await put(LARGE.bytes, LARGE.puts))
  note(
    'cache GET 1 MB (from memory), req/s',
    (await rawLoad(clients, LARGE.gets, server, `/api/v1/cache/${benchKey(firstLarge)}`)).perSecond,
  )
}
