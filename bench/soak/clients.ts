import { Agent, request } from 'node:http'
import type { SoakServer } from './server.ts'

export type SoakAnswer = {
  readonly status: number
  readonly ms: number
  readonly body: Buffer
  readonly retryAfter: string | null
}

type RequestOptions = {
  readonly method?: string
  readonly body?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
}

/** Sends one request and returns the response with its body. */
export const ask = (
  { url, headers: serverHeaders }: SoakServer,
  path: string,
  { method = 'GET', body, headers = {}, agent = new Agent() }: RequestOptions = {},
): Promise<SoakAnswer> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    const outgoing = request(
      `${url}/api/v1${path}`,
      { agent, method, headers: { ...serverHeaders, ...headers, ...(body ? { 'content-length': body.length } : {}) } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            ms: performance.now() - from,
            body: Buffer.concat(chunks),
            retryAfter: answer.headers['retry-after'] ?? null,
          }),
        )
        answer.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Requests one path repeatedly on one connection until `stop` is called, which returns the time of each request. */
export const pacer = (server: SoakServer, path: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  let isRunning = true
  const done = (async () => {
    while (isRunning) {
      const { status, ms } = await ask(server, path, { agent })
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      times.push(ms)
      // A pause, because this measures response times and must not add load.
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  return {
    stop: async (): Promise<readonly number[]> => {
      isRunning = false
      await done
      agent.destroy()
      return times
    },
  }
}

/** The times of requests for a path while the server does nothing else. */
export const paceFor = async (server: SoakServer, path: string, milliseconds: number): Promise<readonly number[]> => {
  const { stop } = pacer(server, path)
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  return stop()
}
