import type { Agent } from 'node:http'
import { benchBody, benchKey } from '../cache-bodies.ts'
import { ask, interleaved, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { rawLoad } from '../raw-load.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 3
const CLIENTS = 8
const KIB = 1024

const SMALL = { bytes: 4 * KIB, puts: 4000, gets: 20_000 } as const
const LARGE = { bytes: 1024 * KIB, puts: 120, gets: 1500 } as const

type Timed = { readonly perSecond: number; readonly p99: number; readonly cpu: number }
type Round = Readonly<Record<'put4k' | 'again4k' | 'get4k' | 'miss' | 'put1m' | 'get1m', Timed>>

/** Measures PUT and GET of entries of 4 KB and 1 MB by eight concurrent clients. */
export const cache = async (print: Print): Promise<void> => {
  const round = async (name: Server['name']): Promise<Round> => {
    const server = await startBenchServer(name)
    let next = 0
    const put = async (bytes: number, count: number, warm: number): Promise<Timed> => {
      const bodies = Array.from({ length: 200 }, (_, i) => benchBody(i, bytes))
      const from = next
      const job = (agent: Agent, n: number) =>
        ask(agent, server, `/api/v1/cache/${benchKey(from + n)}`, {
          method: 'PUT',
          body: bodies[n % bodies.length] ?? Buffer.alloc(0),
        })
      await load(CLIENTS, warm, job)
      const before = server.cpu()
      const { perSecond, p99 } = await load(CLIENTS, count, (agent, n) => job(agent, warm + n))
      next += warm + count
      return { perSecond, p99, cpu: ((server.cpu() - before) / count) * 1e6 }
    }
    const again = async (count: number): Promise<Timed> => {
      const body = benchBody(1, SMALL.bytes)
      const before = server.cpu()
      const { perSecond, p99 } = await load(CLIENTS, count, (agent, n) =>
        ask(agent, server, `/api/v1/cache/${benchKey(n)}`, { method: 'PUT', body }),
      )
      return { perSecond, p99, cpu: ((server.cpu() - before) / count) * 1e6 }
    }
    // Uses rawLoad, because Node's own client takes longer than a response from memory.
    const get = async (key: number, count: number): Promise<Timed> => {
      const path = `/api/v1/cache/${benchKey(key)}`
      await rawLoad(CLIENTS, Math.ceil(count / 10), server, path)
      const before = server.cpu()
      const { perSecond } = await rawLoad(CLIENTS, count, server, path)
      return { perSecond, p99: 0, cpu: ((server.cpu() - before) / count) * 1e6 }
    }
    const miss = async (count: number): Promise<Timed> => {
      const before = server.cpu()
      const { perSecond, p99 } = await load(CLIENTS, count, (agent, n) =>
        ask(agent, server, `/api/v1/cache/${benchKey(1e9 + n)}`),
      )
      return { perSecond, p99, cpu: ((server.cpu() - before) / count) * 1e6 }
    }
    try {
      const put4k = await put(SMALL.bytes, SMALL.puts, 500)
      const again4k = await again(SMALL.puts)
      const get4k = await get(1000, SMALL.gets)
      const missed = await miss(SMALL.puts)
      const firstLarge = next
      const put1m = await put(LARGE.bytes, LARGE.puts, 20)
      const get1m = await get(firstLarge, LARGE.gets)
      return { put4k, again4k, get4k, miss: missed, put1m, get1m }
    } finally {
      await server.stop()
    }
  }

  const { floor, service } = await interleaved(ROUNDS, round)
  const row = (title: string, name: keyof Round) => {
    const medianOf = (rounds: readonly Round[], field: keyof Timed) => median(rounds.map((each) => each[name][field]))
    const [f, s] = [medianOf(floor, 'perSecond'), medianOf(service, 'perSecond')]
    print(
      `| ${title} | ${f.toFixed(0)} /s | ${s.toFixed(0)} /s | ${(s / f).toFixed(2)} | ${(medianOf(service, 'cpu') / medianOf(floor, 'cpu')).toFixed(2)} | ${medianOf(floor, 'p99').toFixed(1)} / ${medianOf(service, 'p99').toFixed(1)} ms |`,
    )
  }
  print('| 8 clients | floor | service | ratio | CPU ratio | p99 |')
  print('|---|---|---|---|---|---|')
  row('PUT 4 KB (at least 0.7)', 'put4k')
  row('PUT 4 KB of an existing entry', 'again4k')
  row('GET 4 KB hit (at least 0.9, better 1.5)', 'get4k')
  row('GET miss', 'miss')
  row('PUT 1 MB (at least 0.8)', 'put1m')
  row('GET 1 MB (at least 0.8)', 'get1m')
}
