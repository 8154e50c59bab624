import { Agent, request } from 'node:http'
import type { Server } from './servers.ts'

export type Answer = { readonly status: number; readonly ms: number; readonly bytes: number }

type Request = {
  readonly method?: string
  readonly body?: Buffer
  readonly extra?: Readonly<Record<string, string>>
  /** Receives the body of the response in parts; without it, the body is discarded. */
  readonly onChunk?: (chunk: Buffer) => void
}

/** Sends one request over the agent's connection, and reads the whole response. */
export const ask = (
  agent: Agent,
  { url, headers }: Pick<Server, 'url' | 'headers'>,
  path: string,
  { method = 'GET', body, extra = {}, onChunk }: Request = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    const outgoing = request(
      `${url}${path}`,
      { agent, method, headers: { ...headers, ...extra, ...(body ? { 'content-length': body.length } : {}) } },
      (answer) => {
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          onChunk?.(chunk)
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, ms: performance.now() - from, bytes }))
        answer.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

export type Load = {
  readonly count: number
  readonly seconds: number
  readonly perSecond: number
  /** The milliseconds of each request, sorted. */
  readonly times: readonly number[]
  readonly p50: number
  readonly p99: number
  readonly statuses: Readonly<Record<number, number>>
}

/** The quantile `q`, from 0 to 1, of sorted values. */
export const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

/** Runs `count` jobs on `clients` connections, one job at a time on each. A job receives its number. */
export const load = async (
  clients: number,
  count: number,
  job: (agent: Agent, n: number) => Promise<Answer>,
): Promise<Load> => {
  const times: number[] = []
  const statuses: Record<number, number> = {}
  let next = 0
  const from = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (next < count) {
        const { status, ms } = await job(agent, next++)
        times.push(ms)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
      agent.destroy()
    }),
  )
  const seconds = (performance.now() - from) / 1000
  times.sort((a, b) => a - b)
  return {
    count,
    seconds,
    perSecond: count / seconds,
    times,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    statuses,
  }
}

/** The median of several rounds. */
export const median = (values: readonly number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )

/** Alternates between both servers, so that other load on the machine affects both. */
export const interleaved = async <R>(
  rounds: number,
  run: (name: 'floor' | 'service') => Promise<R>,
): Promise<{ floor: R[]; service: R[] }> => {
  const floor: R[] = []
  const service: R[] = []
  for (let i = 0; i < rounds; i++) {
    floor.push(await run('floor'))
    service.push(await run('service'))
  }
  return { floor, service }
}
