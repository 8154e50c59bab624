import { Agent } from 'node:http'
import { benchDocument } from '../documents.ts'
import { ask, interleaved, load, median, type Load } from '../load.ts'
import { rawLoad } from '../raw-load.ts'
import type { Print } from '../measures.ts'
import { startBenchServer, type Server } from '../servers.ts'

const ROUNDS = 3
const STORED = 200
const READS = 3000
const UNCHANGED = 12_000
/**
 * Number of reads during uploads: few enough that the slower server finishes, and enough for a 99th percentile.
 */
const BUSY = { floor: 100, service: 600, peer: 600 } as const

/**
 * Requests per second, and the CPU time of the whole process per request, which is stable even on a busy machine.
 */
type Timed = { readonly perSecond: number; readonly cpu: number }
type Round = {
  readonly warm: Timed
  readonly unchanged: Timed
  readonly idleList: Load
  readonly busyList: Load
  readonly busyDetail: Load
}

/**
 * Measures the run list (with a warm cache, with conditional requests, and while four clients upload) and single runs
 * (while four clients upload).
 */
export const lists = async (print: Print): Promise<void> => {
  const round = async (name: Server['name']): Promise<Round> => {
    const server = await startBenchServer(name)
    const upload = (agent: Agent, n: number) =>
      ask(agent, server, '/api/v1/runs', { method: 'POST', body: Buffer.from(benchDocument(n)) })
    try {
      await load(4, STORED, upload)
      const list = (agent: Agent) => ask(agent, server, '/api/v1/runs')
      const detail = (agent: Agent, n: number) =>
        ask(agent, server, `/api/v1/runs/bench-${String(n % STORED).padStart(8, '0')}`)
      await load(4, 200, list)
      const etag = await etagOf(server)
      const requestWarm = (count: number) => rawLoad(4, count, server, '/api/v1/runs')
      const requestUnchanged = (count: number) =>
        etag === null
          ? rawLoad(4, count, server, '/bare')
          : rawLoad(4, count, server, '/api/v1/runs', { 'if-none-match': etag })
      await requestWarm(READS)
      const warm = await timed(server, READS, requestWarm)
      await requestUnchanged(UNCHANGED)
      const unchanged = await timed(server, UNCHANGED, requestUnchanged)
      const idleList = await load(1, 300, list)

      // Four uploaders run until the readers are done. Their documents are created first, so that only the server
      // works.
      const bodies = Array.from({ length: 1000 }, (_, i) => Buffer.from(benchDocument(STORED + i)))
      let isReading = true
      let next = 0
      const uploaders = Promise.all(
        Array.from({ length: 4 }, async () => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 })
          while (isReading && next < bodies.length)
            await ask(agent, server, '/api/v1/runs', { method: 'POST', body: bodies[next++] ?? Buffer.alloc(0) })
          agent.destroy()
        }),
      )
      const busyList = await load(1, BUSY[name], list)
      const busyDetail = await load(1, BUSY[name], detail)
      isReading = false
      await uploaders
      return { warm, unchanged, idleList, busyList, busyDetail }
    } finally {
      await server.stop()
    }
  }

  const { floor, service } = await interleaved(ROUNDS, round)
  const row = (title: string, pick: (round: Round) => number, unit: string) => {
    const [f, s] = [median(floor.map(pick)), median(service.map(pick))]
    print(`| ${title} | ${f.toFixed(2)} ${unit} | ${s.toFixed(2)} ${unit} | ${(s / f).toFixed(3)} |`)
  }
  print('| | floor | service | ratio |')
  print('|---|---|---|---|')
  row('run list, first page, warm', ({ warm }) => warm.perSecond, 'req/s')
  row('the same, CPU of a request', ({ warm }) => warm.cpu, 'µs')
  row('conditional GET (floor: a bare 304)', ({ unchanged }) => unchanged.perSecond, 'req/s')
  row('the same, CPU of a request', ({ unchanged }) => unchanged.cpu, 'µs')
  row('run list while 4 upload, p50', ({ busyList }) => busyList.p50, 'ms')
  row('run list while 4 upload, p99', ({ busyList }) => busyList.p99, 'ms')
  row('run detail while 4 upload, p50', ({ busyDetail }) => busyDetail.p50, 'ms')
  row('run detail while 4 upload, p99', ({ busyDetail }) => busyDetail.p99, 'ms')
  const slowdown = median(service.map(({ busyList, idleList }) => busyList.p99 / idleList.p99))
  print(`\nThe service's own p99 of the run list while 4 upload is ${slowdown.toFixed(1)} times its idle value.`)
}

const timed = async (
  server: Server,
  count: number,
  run: (count: number) => Promise<{ readonly perSecond: number }>,
): Promise<Timed> => {
  const before = server.cpu()
  const { perSecond } = await run(count)
  return { perSecond, cpu: ((server.cpu() - before) / count) * 1e6 }
}

/** The list's ETag; null for the reference server, which has none. */
const etagOf = async ({ url, headers, name }: Server): Promise<string | null> => {
  if (name === 'floor') return null
  const answer = await fetch(`${url}/api/v1/runs`, { headers })
  await answer.arrayBuffer()
  return answer.headers.get('etag')
}
