import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { benchDocument } from '../documents.ts'
import { ask, load, median } from '../load.ts'
import type { Print } from '../measures.ts'
import { freshUrl, startPostgres } from '../postgres.ts'
import { startBenchServer, type Server } from '../servers.ts'

const STREAMS = 1_000
const IDLE_SECONDS = 32
const UPLOADS = 40
const REPLICAS = 3
const RUNS = '/api/v1/runs'

/** Opens a stream that counts for an address of its own. */
const openStream = (server: Server, n: number, onText: (text: string) => void): Promise<ClientRequest> =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.url}/api/v1/events/stream`, {
      agent: false,
      headers: { 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` },
    })
    sent.once('response', (answer: IncomingMessage) => {
      if (answer.statusCode !== 200) reject(new Error(`a stream was refused: ${answer.statusCode}`))
      answer.setEncoding('utf8').on('data', onText)
      answer.on('error', () => {})
      resolve(sent)
    })
    sent.once('error', reject).end()
  })

/** Milliseconds from the end of an upload until each of the streams reports it. */
const latencies = async (targets: readonly Server[], first: Server): Promise<number[]> => {
  const arrived = targets.map(() => new Map<string, number>())
  const streams = await Promise.all(
    targets.map((target, i) =>
      openStream(target, i, (text) => {
        for (const [, id = ''] of text.matchAll(/"id":"([^"]+)"/g)) arrived[i]?.set(id, performance.now())
      }),
    ),
  )
  const times: number[] = []
  for (let n = 0; n < UPLOADS; n++) {
    const body = benchDocument(100_000 + n)
    const { run_id } = JSON.parse(body) as { run_id: string }
    await fetch(`${first.url}${RUNS}`, { method: 'POST', headers: first.headers, body })
    const committed = performance.now()
    for (const seen of arrived) {
      while (!seen.has(run_id)) await wait(1)
      times.push(Math.max(0, (seen.get(run_id) ?? 0) - committed))
    }
    // The uploads fall on any part of the interval of the messages.
    await wait(n * 7)
  }
  for (const stream of streams) stream.destroy()
  return times.toSorted((a, b) => a - b)
}

/**
 * Measures what a thousand idle streams cost in memory and CPU, and how soon a commit is reported, on every replica
 * too. Memory is compared with that of the same server before the streams.
 */
export const streams = async (print: Print): Promise<void> => {
  const env = { SERVICE_AUTH_MODE: 'open', SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
  const server = await startBenchServer('service', undefined, env)
  print('| streams | |')
  print('|---|---|')
  try {
    await load(4, 200, (a, n) => ask(a, server, RUNS, { method: 'POST', body: Buffer.from(benchDocument(n)) }))
    await load(8, 2_000, (a) => ask(a, server, RUNS))
    await wait(5_000)
    const before = server.memory().now
    let messages = 0
    const open: ClientRequest[] = []
    for (let n = 0; n < STREAMS; n++) open.push(await openStream(server, n, () => messages++))
    await wait(5_000)
    const [cpu, from] = [server.cpu(), performance.now()]
    await wait(IDLE_SECONDS * 1000)
    const share = (server.cpu() - cpu) / ((performance.now() - from) / 1000)
    print(`| memory of ${STREAMS} streams (at most 60 MiB) | ${(server.memory().now - before).toFixed(1)} MiB |`)
    print(`| CPU of ${STREAMS} idle streams (at most 3 %) | ${(share * 100).toFixed(2)} % |`)
    messages = 0
    const [busyCpu, busyFrom] = [server.cpu(), performance.now()]
    const { perSecond } = await load(4, 400, (a, n) =>
      ask(a, server, RUNS, { method: 'POST', body: Buffer.from(benchDocument(1_000 + n)) }),
    )
    await wait(500)
    print(
      `| uploads with ${STREAMS} streams | ${perSecond.toFixed(0)} /s, ${messages} messages, CPU ${(((server.cpu() - busyCpu) * 100_000) / (performance.now() - busyFrom)).toFixed(0)} % |`,
    )
    for (const stream of open) stream.destroy()
    await wait(1_000)
    const times = await latencies([server], server)
    print(
      `| message after the commit, SQLite | p50 ${median(times).toFixed(0)} ms, highest ${times.at(-1)?.toFixed(0)} ms |`,
    )
  } finally {
    await server.stop()
  }
  const database = await startPostgres({ durable: true })
  try {
    const url = await freshUrl(database)
    const replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () =>
        startBenchServer('service', undefined, { ...env, SERVICE_DATABASE_URL: url }),
      ),
    )
    const [first] = replicas
    try {
      if (!first) return
      const times = await latencies(replicas, first)
      print(
        `| message after the commit, ${REPLICAS} replicas (at most 500 ms) | p50 ${median(times).toFixed(0)} ms, highest ${times.at(-1)?.toFixed(0)} ms |`,
      )
    } finally {
      for (const replica of replicas) await replica.stop()
    }
  } finally {
    await database.stop()
  }
}
