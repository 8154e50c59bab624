import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryIndex } from '../../runtime/cache/indexing.ts'
import { keyDigest, putEntries } from '../../storage/cache/entries.ts'
import { openPostgresCache } from '../../storage/postgres/cache.ts'
import { openSqliteCache } from '../../storage/sqlite/cache.ts'
import { benchBody, benchKey } from '../cache-bodies.ts'
import { ask, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

/** `BENCH_ENTRIES=100000` gives a quicker run. */
const ENTRIES = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000)
const PRUNED = Math.floor(ENTRIES / 10)
const UNINDEXED = Math.floor(ENTRIES / 20)
const BODY_BYTES = 700
const BATCH_SIZE = 500
/** The time of the first entry: recent enough that the hourly retention does not evict it. */
const FIRST = Date.now() - 10 * 86_400_000
/** Retention must not shrink the cache during the measurement. */
const ROOMY = { SERVICE_CACHE_MAX_BYTES: String(1e12) } as const
const GETS = 4000
const SAMPLES = 15

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
  // Words that occur in half, a third, a fifth, a twelfth and a thirtieth of the real outputs.
  ...['def', 'self', 'max', 'dp', 'lambda'].flatMap((word) => [
    `q=${word}`,
    `q=${word}&sort=cost`,
    `q=${word}&kind=judge`,
  ]),
]

/** `BENCH_PARTS=browse,prune` measures only these parts. */
const PARTS = process.env['BENCH_PARTS']?.split(',') ?? ['browse', 'prune', 'backfill']

/**
 * `BENCH_KEPT` is a state directory, or the URL of a database, that already contains a million such entries. Pruning
 * removes some of them; the backfill adds some.
 */
const EXISTING = process.env['BENCH_KEPT']

/** How long reads are measured while unindexed entries are indexed in the background. */
const BACKFILL_MS = 60_000

/** A state directory, or the URL of a database. */
type Location = string
const isDatabase = (location: Location): boolean => location.startsWith('postgresql:')

/** Measures browsing, pruning and background indexing of a cache with a million entries. */
export const cacheMillion = async (print: Print): Promise<void> => {
  if (EXISTING !== undefined) return measureParts(print, EXISTING)
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-cache-'))
  try {
    const from = performance.now()
    await fill(dataDir, 0, ENTRIES - UNINDEXED, true)
    print(
      `${ENTRIES - UNINDEXED} entries of ${BODY_BYTES} bytes put in ${((performance.now() - from) / 1000).toFixed(0)} s, ${(statSync(join(dataDir, 'cache.db')).size / ENTRIES).toFixed(0)} bytes an entry on disk\n`,
    )
    await measureParts(print, dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const measureParts = async (print: Print, location: Location): Promise<void> => {
  const idle = await browseAndPrune(print, location)
  if (PARTS.includes('backfill')) await backfill(print, location, idle)
}

/** Measures browsing and pruning. Returns the p99 of reads on an idle server. */
const browseAndPrune = async (print: Print, location: Location): Promise<number> => {
  const server = await start(location)
  try {
    if (PARTS.includes('browse')) await browse(print, server)
    const idle = (await readers(server)).p99
    if (PARTS.includes('prune')) await pruning(print, server, idle)
    return idle
  } finally {
    await server.stop()
  }
}

const start = (location: Location): Promise<Server> =>
  isDatabase(location)
    ? startBenchServer('service', undefined, { ...ROOMY, SERVICE_DATABASE_URL: location })
    : startBenchServer('service', location, ROOMY)

/** The service indexes unindexed entries from its start on. Compares GETs during that with GETs on an idle server. */
const backfill = async (print: Print, location: Location, idle: number): Promise<void> => {
  await fill(location, ENTRIES, ENTRIES + UNINDEXED, false)
  const server = await start(location)
  try {
    const before = await unindexed(server)
    const p99s: number[] = []
    for (const from = performance.now(); performance.now() - from < BACKFILL_MS;) p99s.push((await readers(server)).p99)
    const after = await unindexed(server)
    const busy = median(p99s)
    print(
      `\nGET of entries that are not in memory: p99 ${idle.toFixed(2)} ms idle, ${busy.toFixed(2)} ms while ${before - after} unindexed entries are indexed: ${(busy / idle).toFixed(2)} times (at most 2)`,
    )
  } finally {
    await server.stop()
  }
}

/** Writes entries directly into the store, in large transactions like a bulk load. */
const fill = async (location: Location, from: number, to: number, isIndexed: boolean): Promise<void> => {
  const store = isDatabase(location)
    ? await openPostgresCache({ url: location, statementTimeoutMs: 300_000 })
    : openSqliteCache(join(location, 'cache.db'))
  for (let n = from; n < to; n += BATCH_SIZE) {
    const entries = Array.from({ length: Math.min(BATCH_SIZE, to - n) }, (_, i) => {
      const bytes = benchBody(n + i, BODY_BYTES)
      return { digest: keyDigest(benchKey(n + i)), bytes, index: isIndexed ? entryIndex(bytes) : null }
    })
    await store.change(putEntries(entries, { at: FIRST + n / 10, rules: 1 }))
  }
  await store.close()
}

const browse = async (print: Print, server: Server): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  print('| browsing, warm | ms |\n|---|---|')
  for (const query of [...LISTS.map((list) => `entries?${list}`), 'facets', 'stats']) {
    const path = `/api/v1/cache/${query}`
    await ask(agent, server, path)
    const times: number[] = []
    for (let i = 0; i < SAMPLES; i++) {
      const { status, ms } = await ask(agent, server, path)
      if (status !== 200) throw new Error(`${path}: ${status}`)
      times.push(ms)
    }
    print(`| ${query} | ${median(times).toFixed(1)} |`)
  }
  agent.destroy()
}

let nextRead = 0

/** GETs of entries all over the cache. Each call reads other entries, so that none is in memory. */
const readers = (server: Server) =>
  load(2, GETS, (agent) =>
    ask(
      agent,
      server,
      `/api/v1/cache/${benchKey(2 * PRUNED + ((nextRead++ * 7919) % (ENTRIES - UNINDEXED - 2 * PRUNED)))}`,
    ),
  )

const pruning = async (print: Print, server: Server, idle: number): Promise<void> => {
  let isPruning = true
  const from = performance.now()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const target = await statsOf(server)
  const pruned = ask(
    agent,
    server,
    `/api/v1/cache/prune?target_bytes=${Math.floor(target.total_bytes * (1 - PRUNED / target.entries))}`,
    { method: 'POST' },
  ).finally(() => (isPruning = false))
  const times: number[] = []
  const reader = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 0; isPruning; n++)
    times.push((await ask(reader, server, `/api/v1/cache/${benchKey(PRUNED * 2 + ((n * 7919) % PRUNED))}`)).ms)
  await pruned
  const { entries } = await statsOf(server)
  times.sort((a, b) => a - b)
  print(
    `\nprune of ${target.entries - entries} entries: ${((performance.now() - from) / 1000).toFixed(1)} s; at the same time ${times.length} GETs, p50 ${(times[times.length >> 1] ?? 0).toFixed(2)} ms, ` +
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
