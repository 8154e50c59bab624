import { cpSync, mkdirSync } from 'node:fs'
import type { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { benchBody, benchKey } from '../cache-bodies.ts'
import { benchDocument, WORDS } from '../documents.ts'
import { ask, load } from '../load.ts'
import { startBenchServer, type Server } from '../servers.ts'

// The rows that two versions of the service are compared by. No address is requested twice, so no cached response
// answers; the row that is answered from memory says so.

/** What one round of a row measured: sorted milliseconds of each request, CPU milliseconds of a request, memory. */
export type Timed = { readonly times?: readonly number[]; readonly cpu?: number; readonly mib?: number }

type Measured = {
  readonly title: string
  readonly rounds?: number
  readonly measure: (side: Side) => Promise<Timed>
}

/** One of the two versions: its program, a running server, and a copy of its store that no server uses. */
export type Side = { readonly program: string; readonly server: Server; readonly copy: string }

/** Runs of 100 cases, 20,000 cases together, and runs of 2 cases. */
const LARGE_RUNS = 200
const SMALL_RUNS = 400
const SMALL = { cases: 2, bytesPerCase: 900 } as const
const FAR = 9_000_000_000_000

const idOf = (n: number): string => `bench-${String(n).padStart(8, '0')}`
const upload = (agent: Agent, server: Server, document: string) =>
  ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(document) })

/**
 * Stores the documents that all rows read, one by one so that both stores are alike. Copies the store, and starts a server
 * that answers some requests.
 */
export const prepare = async (program: string, folder: string): Promise<Side> => {
  const [dataDir, copy] = [join(folder, 'store'), join(folder, 'copy')]
  mkdirSync(dataDir, { recursive: true })
  const filled = await startBenchServer('service', dataDir, {}, program)
  await load(1, LARGE_RUNS, (agent, n) => upload(agent, filled, benchDocument(n)))
  await load(1, SMALL_RUNS, (agent, n) => upload(agent, filled, benchDocument(LARGE_RUNS + n, SMALL)))
  await filled.stop()
  cpSync(dataDir, copy, { recursive: true })
  const server = await startBenchServer('service', dataDir, {}, program)
  for (const path of [list, search, casesPage, matrix])
    await load(
      2,
      100,
      get(server, (n) => path(9_900 + n)),
    )
  return { program, server, copy }
}

/** The next number of a server for a kind of address or document, so that none is used twice. */
const counters = new WeakMap<Server, Map<string, number>>()
const take = (server: Server, kind: string, count: number): number => {
  const numbers = counters.get(server) ?? new Map<string, number>()
  counters.set(server, numbers)
  const first = numbers.get(kind) ?? 0
  numbers.set(kind, first + count)
  return first
}

const get =
  (server: Server, path: (n: number) => string) =>
  (agent: Agent, n: number): ReturnType<typeof ask> =>
    ask(agent, server, path(n))

/** Measures `count` requests of numbers that were not used before. */
const timed = async (
  server: Server,
  kind: string,
  clients: number,
  count: number,
  request: (agent: Agent, n: number) => ReturnType<typeof ask>,
): Promise<Timed> => {
  const first = take(server, kind, count)
  const before = server.cpu()
  const { times, statuses } = await load(clients, count, (agent, n) => request(agent, first + n))
  const wrong = Object.keys(statuses).filter((status) => !['200', '201', '404'].includes(status))
  if (wrong.length > 0) throw new Error(`${kind} was answered with ${wrong.join(', ')}`)
  return { times, cpu: ((server.cpu() - before) / count) * 1000 }
}

const reads = (title: string, count: number, path: (n: number) => string, clients = 1): Measured => ({
  title,
  measure: ({ server }) => timed(server, title, clients, count, get(server, path)),
})

const list = (n: number): string => `/api/v1/runs?limit=50&cursor=${FAR + n}%3Ax`
const casesPage = (n: number): string =>
  `/api/v1/runs/${idOf(n % LARGE_RUNS)}/cases?limit=50&cursor=${Math.floor(n / LARGE_RUNS) % 50}`
const matrix = (n: number): string =>
  `/api/v1/runs/${idOf(n % LARGE_RUNS)}/matrix?limit=${100 - (Math.floor(n / LARGE_RUNS) % 50)}`
const found = (q: string): string => `/api/v1/search?q=${q}`
const rare = (n: number): string => WORDS[12_000 + ((n * 7919) % 12_000)] ?? ''
const common = (n: number): string => WORDS[n % 60] ?? ''
const search = (n: number): string => found(rare(n))
/** Runs of the same suite: every twentieth. */
const statistics = (n: number): string => {
  const [suite, pair] = [n % 20, Math.floor(n / 20)]
  const [a, b] = [pair % 10, (pair + 1 + Math.floor(pair / 10)) % 10]
  return `/api/v1/runs/${idOf(suite + 20 * a)}/compare/${idOf(suite + 20 * b)}/statistics`
}

/** Starts a server of its own, with an empty store if none is given. */
const started = async (
  program: string,
  store: string | undefined,
  use: (server: Server) => Promise<Timed>,
): Promise<Timed> => {
  const server = await startBenchServer('service', store, {}, program)
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

/** The time of one request. */
const once = async (server: Server, path: string): Promise<Timed> => {
  const { times } = await load(1, 1, (agent) => ask(agent, server, path))
  return { times }
}

export const MEASURED: readonly Measured[] = [
  reads('run list', 60, list),
  reads('run list, 8 connections', 160, (n) => list(1e6 + n), 8),
  reads('run detail', 50, (n) => `/api/v1/runs/${idOf(LARGE_RUNS + n)}`),
  reads('cases page', 50, casesPage),
  reads('matrix', 50, matrix),
  reads('search of a rare word', 40, search),
  reads('search of a common and a rare word', 30, (n) => found(`${common(n)}%20${rare(5000 + n)}`)),
  reads('search of two common words', 30, (n) => found(`${common(n)}%20${common(n + 1 + Math.floor(n / 60))}`)),
  reads('comparison with statistics', 20, statistics),
  reads('cache miss', 100, (n) => `/api/v1/cache/${benchKey(1e9 + n)}`),
  {
    title: 'run list from memory',
    measure: ({ server }) =>
      timed(
        server,
        'memory',
        1,
        300,
        get(server, () => list(0)),
      ),
  },
  ...(
    [
      ['cache PUT of 4 KB', 200, 4096, 0],
      ['cache PUT of 1 MB', 10, 1024 * 1024, 1e6],
    ] as const
  ).map(([title, count, bytes, from]): Measured => ({
    title,
    measure: ({ server }) =>
      timed(server, title, 8, count, (agent, n) =>
        ask(agent, server, `/api/v1/cache/${benchKey(from + n)}`, { method: 'PUT', body: benchBody(n, bytes) }),
      ),
  })),
  {
    title: 'upload of 2 cases, 4 at once',
    measure: ({ server }) =>
      timed(server, 'small', 4, 100, (agent, n) => upload(agent, server, benchDocument(1_000_000 + n, SMALL))),
  },
  {
    title: 'upload of 100 cases, 4 at once',
    measure: ({ server }) =>
      timed(server, 'large', 4, 30, (agent, n) => upload(agent, server, benchDocument(2_000_000 + n))),
  },
  {
    title: 'start to healthy, an empty store',
    measure: ({ program }) => started(program, undefined, async ({ startMs }) => ({ times: [startMs] })),
  },
  {
    title: 'start to healthy, 20,000 cases',
    measure: ({ program, copy }) => started(program, copy, async ({ startMs }) => ({ times: [startMs] })),
  },
  {
    title: 'first run list after a start',
    measure: ({ program, copy }) => started(program, copy, async (server) => once(server, list(0))),
  },
  {
    title: 'first search after a start',
    measure: ({ program, copy }) => started(program, copy, async (server) => once(server, found('answer'))),
  },
  {
    title: 'idle memory',
    rounds: 3,
    measure: ({ program, copy }) =>
      started(program, copy, async (server) => {
        await wait(2000)
        return { mib: server.memory().now }
      }),
  },
  {
    title: 'peak memory, 16 uploaders',
    rounds: 3,
    measure: ({ program }) =>
      started(program, undefined, async (server) => {
        await load(16, 200, (agent, n) => upload(agent, server, benchDocument(n)))
        return { mib: server.memory().peak }
      }),
  },
]
