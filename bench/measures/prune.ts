import { benchBody, benchKey } from '../cache-bodies.ts'
import { selectedContenders, startContender } from '../contenders.ts'
import { benchDocument } from '../documents.ts'
import { ask, load } from '../load.ts'
import type { Print } from '../measures.ts'
import { startPostgres } from '../postgres.ts'
import type { Server } from '../servers.ts'

const ENTRIES = Number(process.env['BENCH_ENTRIES'] ?? 100_000)
const ENTRY_BYTES = 1024
const RUNS = 100

/** Evicts 100,000 entries of the cache, on both storages, and measures reads meanwhile. No cached response is measured. */
export const prune = async (print: Print): Promise<void> => {
  const contenders = selectedContenders().filter((name) => name === 'service' || name === 'postgres')
  const database = contenders.includes('postgres') ? await startPostgres({ durable: true }) : null
  try {
    print('| | entries pruned | seconds | reads meanwhile | p50 ms | p99 ms | longest ms |')
    print('|---|---|---|---|---|---|---|')
    for (const contender of contenders) {
      const server = await startContender(contender, database)
      try {
        print(`| ${contender === 'service' ? 'SQLite' : 'PostgreSQL'} | ${await pruneBesideReads(server)} |`)
      } finally {
        await server.stop()
      }
    }
  } finally {
    await database?.stop()
  }
}

const FAR = 9_000_000_000_000

const pruneBesideReads = async (server: Server): Promise<string> => {
  const bodies = Array.from({ length: 100 }, (_, i) => benchBody(i, ENTRY_BYTES))
  await load(4, RUNS, (agent, n) =>
    ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(n, { cases: 2 })) }),
  )
  await load(16, ENTRIES, (agent, n) =>
    ask(agent, server, `/api/v1/cache/${benchKey(n)}`, {
      method: 'PUT',
      body: bodies[n % bodies.length] ?? Buffer.alloc(0),
    }),
  )
  let n = 0
  const list = (): string => `/api/v1/runs?limit=50&cursor=${FAR + n++}%3Ax`
  await load(1, 200, (agent) => ask(agent, server, list()))

  let isPruning = true
  const from = performance.now()
  const pruned = fetch(`${server.url}/api/v1/cache/prune?target_bytes=0`, { method: 'POST', headers: server.headers })
    .then((answer) => answer.json() as Promise<{ pruned: number }>)
    .finally(() => (isPruning = false))
  const times: number[] = []
  const reading = load(1, Infinity, async (agent) => {
    if (!isPruning) throw new Error('the prune has ended')
    const answer = await ask(agent, server, list())
    times.push(answer.ms)
    return answer
  }).catch(() => null)
  const { pruned: count } = await pruned
  const seconds = (performance.now() - from) / 1000
  await reading
  times.sort((a, b) => a - b)
  const at = (q: number): string => (times[Math.floor((times.length - 1) * q)] ?? 0).toFixed(1)
  return [count, seconds.toFixed(1), times.length, at(0.5), at(0.99), at(1)].join(' | ')
}
