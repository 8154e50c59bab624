import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexOf } from '../../cli/cache-indexing.ts'
import { digestOf, putEntries } from '../../storage/cache-entries.ts'
import { openSqliteCache } from '../../storage/cache-sqlite.ts'
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
  '', 'sort=created&order=asc', 'sort=last_access', 'sort=size', 'sort=cost', 'kind=judge', 'kind=judge&sort=size', 'model=small-model', 'model=small-model&sort=cost', 'empty_reason=blank',
  'empty_reason=blank&sort=last_access', 'kind=unindexed', 'kind=unparseable', `since=${FIRST + 1000}&until=${FIRST + 5000}`, 'min_cost_microusd=5000&max_cost_microusd=5010', 'kind=judge&model=fast-model',
  'q=zyzzyva', 'q=zyzzyva&sort=size', 'q=question', 'q=question&sort=cost', 'q=question&kind=judge', 'q=nothinglikeit', 'kind=nothing',
]

/** Browsing, pruning and reading unread entries of a cache of a million. */
export const cacheMillion = async (say: Say): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-bench-cache-'))
  try {
    const from = performance.now()
    await fill(dataDir, 0, ENTRIES - UNREAD, true)
    say(`${ENTRIES - UNREAD} entries of ${BODY_BYTES} bytes put in ${((performance.now() - from) / 1000).toFixed(0)} s, ${(statSync(join(dataDir, 'cache.db')).size / ENTRIES).toFixed(0)} bytes an entry on disk\n`)
    const server = await startBenchServer('service', dataDir, ROOMY)
    let idle = 0
    try {
      await browse(say, server)
      idle = (await readers(server)).p99
      await pruning(say, server, idle)
    } finally {
      await server.stop()
    }

    await fill(dataDir, ENTRIES, ENTRIES + UNREAD, false)
    const indexing = await startBenchServer('service', dataDir, ROOMY)
    try {
      const before = await unindexed(indexing)
      const busy = await readers(indexing)
      const after = await unindexed(indexing)
      say(`\nGET of entries that are not in memory: p99 ${idle.toFixed(2)} ms idle, ${busy.p99.toFixed(2)} ms while ${before - after} unread entries are read beside it: ${(busy.p99 / idle).toFixed(2)} times (at most 2)`)
    } finally {
      await indexing.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** As a bulk load would: in large transactions, straight into the store. */
const fill = async (dataDir: string, from: number, to: number, read: boolean): Promise<void> => {
  const store = openSqliteCache(join(dataDir, 'cache.db'))
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

/** GETs of entries all over the cache. */
const readers = (server: Server) => load(2, GETS, (agent, n) => ask(agent, server, `/api/v1/cache/${benchKey((n * 7919) % (ENTRIES - UNREAD))}`))

const pruning = async (say: Say, server: Server, idle: number): Promise<void> => {
  let pruning = true
  const from = performance.now()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const target = await statsOf(server)
  const pruned = ask(agent, server, `/api/v1/cache/prune?target_bytes=${Math.floor(target.total_bytes * (1 - PRUNED / target.entries))}`, { method: 'POST' }).finally(() => (pruning = false))
  const times: number[] = []
  const reader = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 0; pruning; n++) times.push((await ask(reader, server, `/api/v1/cache/${benchKey(PRUNED * 2 + ((n * 7919) % PRUNED))}`)).ms)
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

const statsOf = async ({ url, headers }: Server): Promise<{ entries: number; total_bytes: number; unindexed: number }> => (await (await fetch(`${url}/api/v1/cache/stats`, { headers })).json()) as never
const unindexed = async (server: Server): Promise<number> => (await statsOf(server)).unindexed
