import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexOf } from '../../runtime/cache/indexing.ts'
import { digestOf, putEntries } from '../../storage/cache/entries.ts'
import { openPostgresCache } from '../../storage/postgres/cache.ts'
import { openSqliteCache } from '../../storage/sqlite/cache.ts'
import { benchBody, benchKey } from '../cache-bodies.ts'
import { ask, load, median } from '../load.ts'
import type { Say } from '../measures.ts'
import { startBenchServer } from '../servers.ts'
import type { Server } from '../servers.ts'

/** `BENCH_ENTRIES=100000` is a quick look. */
const ENTRIES = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000)
const PRUNED = Math.floor(ENTRIES / 10)
const UNREAD = Math.floor(ENTRIES / 20)
const BODY_BYTES = 700
const AT_ONCE = 500
/** Younger than what the hourly retention takes. */
const FIRST = Date.now() - 10 * 86_400_000
/** Retention must not shrink it meanwhile. */
const ROOMY = { SERVICE_CACHE_MAX_BYTES: String(1e12) } as const
const GETS = 4000
const ASKED = 15

const LISTS = [
  '',
  'sort=created&order=asc',
  'sort=last_access',
  'sort=size',
  'sort=cost',
  'kind=judge',
  'kind=judge&sort=size',
  'model=small-model',
  'model=small-model&sort=cost',
  'empty_reason=blank',
  'empty_reason=blank&sort=last_access',
  'kind=unindexed',
  'kind=unparseable',
  `since=${FIRST + 1000}&until=${FIRST + 5000}`,
  'min_cost_microusd=5000&max_cost_microusd=5010',
  'kind=judge&model=fast-model',
  'q=zyzzyva',
  'q=zyzzyva&sort=size',
  'q=question',
  'q=question&sort=cost',
  'q=question&kind=judge',
  'q=nothinglikeit',
  'kind=nothing',
  // Words of real outputs that stand in half, a third, a fifth, a twelfth and a thirtieth of them.
  ...['def', 'self', 'max', 'dp', 'lambda'].flatMap((word) => [
    `q=${word}`,
    `q=${word}&sort=cost`,
    `q=${word}&kind=judge`,
  ]),
]

/** `BENCH_PARTS=browse,prune` measures those alone. */
const PARTS = process.env['BENCH_PARTS']?.split(',') ?? ['browse', 'prune', 'backfill']

/**
 * `BENCH_KEPT` is a state directory, or the URL of a database, that holds a million such entries already; a prune takes
 * of them, a backfill adds to them.
 */
const KEPT = process.env['BENCH_KEPT']

/** Milliseconds that reads are measured for while unread entries are read beside them. */
const BACKFILL_MS = 60_000

/** A state directory, or the URL of a database. */
type Place = string
const isDatabase = (place: Place): boolean => place.startsWith('postgresql:')

/** Browsing, pruning and reading unread entries of a cache of a million. */
export const cacheMillion = async (say: Say): Promise<void> => {
  if (KEPT !== undefined) return measured(say, KEPT)
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-cache-'))
  try {
    const from = performance.now()
    await fill(dataDir, 0, ENTRIES - UNREAD, true)
    say(
      `${ENTRIES - UNREAD} entries of ${BODY_BYTES} bytes put in ${((performance.now() - from) / 1000).toFixed(0)} s, ${(statSync(join(dataDir, 'cache.db')).size / ENTRIES).toFixed(0)} bytes an entry on disk\n`,
    )
    await measured(say, dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const measured = async (say: Say, place: Place): Promise<void> => {
  const idle = await idleAndPruned(say, place)
  if (PARTS.includes('backfill')) await backfill(say, place, idle)
}

/** Answers the p99 of reads while nothing else is done. */
const idleAndPruned = async (say: Say, place: Place): Promise<number> => {
  const server = await start(place)
  try {
    if (PARTS.includes('browse')) await browse(say, server)
    const idle = (await readers(server)).p99
    if (PARTS.includes('prune')) await pruning(say, server, idle)
    return idle
  } finally {
    await server.stop()
  }
}

const start = (place: Place): Promise<Server> =>
  isDatabase(place)
    ? startBenchServer('service', undefined, { ...ROOMY, SERVICE_DATABASE_URL: place })
    : startBenchServer('service', place, ROOMY)

/** What was put without being read is read from the start on: GETs beside that against GETs before. */
const backfill = async (say: Say, place: Place, idle: number): Promise<void> => {
  await fill(place, ENTRIES, ENTRIES + UNREAD, false)
  const server = await start(place)
  try {
    const before = await unindexed(server)
    const p99s: number[] = []
    for (const from = performance.now(); performance.now() - from < BACKFILL_MS;) p99s.push((await readers(server)).p99)
    const after = await unindexed(server)
    const busy = median(p99s)
    say(
      `\nGET of entries that are not in memory: p99 ${idle.toFixed(2)} ms idle, ${busy.toFixed(2)} ms while ${before - after} unread entries are read beside it: ${(busy / idle).toFixed(2)} times (at most 2)`,
    )
  } finally {
    await server.stop()
  }
}

/** As a bulk load would: in large transactions, straight into the store. */
const fill = async (place: Place, from: number, to: number, read: boolean): Promise<void> => {
  const store = isDatabase(place)
    ? await openPostgresCache({ url: place, statementTimeout: 300_000 })
    : openSqliteCache(join(place, 'cache.db'))
  for (let n = from; n < to; n += AT_ONCE) {
    const entries = Array.from({ length: Math.min(AT_ONCE, to - n) }, (_, i) => {
      const bytes = benchBody(n + i, BODY_BYTES)
      return { digest: digestOf(benchKey(n + i)), bytes, index: read ? indexOf(bytes) : null }
    })
    await store.change(putEntries(entries, { at: FIRST + n / 10, rules: 1 }))
  }
  await store.close()
}

const browse = async (say: Say, server: Server): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  say('| browsing, warm | ms |\n|---|---|')
  for (const query of [...LISTS.map((list) => `entries?${list}`), 'facets', 'stats']) {
    const path = `/api/v1/cache/${query}`
    await ask(agent, server, path)
    const times: number[] = []
    for (let i = 0; i < ASKED; i++) {
      const { status, ms } = await ask(agent, server, path)
      if (status !== 200) throw new Error(`${path}: ${status}`)
      times.push(ms)
    }
    say(`| ${query} | ${median(times).toFixed(1)} |`)
  }
  agent.destroy()
}

let read = 0

/** GETs of entries all over the cache, each time of others: none of them is in memory. */
const readers = (server: Server) =>
  load(2, GETS, (agent) =>
    ask(agent, server, `/api/v1/cache/${benchKey(2 * PRUNED + ((read++ * 7919) % (ENTRIES - UNREAD - 2 * PRUNED)))}`),
  )

const pruning = async (say: Say, server: Server, idle: number): Promise<void> => {
  let pruning = true
  const from = performance.now()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const target = await statsOf(server)
  const pruned = ask(
    agent,
    server,
    `/api/v1/cache/prune?target_bytes=${Math.floor(target.total_bytes * (1 - PRUNED / target.entries))}`,
    { method: 'POST' },
  ).finally(() => (pruning = false))
  const times: number[] = []
  const reader = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 0; pruning; n++)
    times.push((await ask(reader, server, `/api/v1/cache/${benchKey(PRUNED * 2 + ((n * 7919) % PRUNED))}`)).ms)
  await pruned
  const { entries } = await statsOf(server)
  times.sort((a, b) => a - b)
  say(
    `\nprune of ${target.entries - entries} entries: ${((performance.now() - from) / 1000).toFixed(1)} s; meanwhile ${times.length} GETs, p50 ${(times[times.length >> 1] ?? 0).toFixed(2)} ms, ` +
      `p99 ${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(2)} ms (idle ${idle.toFixed(2)}), longest ${(times.at(-1) ?? 0).toFixed(1)} ms (at most 50)`,
  )
  agent.destroy()
  reader.destroy()
}

const statsOf = async ({
  url,
  headers,
}: Server): Promise<{ entries: number; total_bytes: number; unindexed: number }> =>
  (await (await fetch(`${url}/api/v1/cache/stats`, { headers })).json()) as never
const unindexed = async (server: Server): Promise<number> => (await statsOf(server)).unindexed
