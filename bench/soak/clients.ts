import { Agent, request } from 'node:http'
import type { SoakServer } from './server.ts'

export type Answered = {
  readonly status: number
  readonly ms: number
  readonly body: Buffer
  readonly retryAfter: string | null
}

type Asked = {
  readonly method?: string
  readonly body?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
}

/** One request, its answer kept. */
export const ask = (
  { url, headers: own }: SoakServer,
  path: string,
  { method = 'GET', body, headers = {}, agent = new Agent() }: Asked = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    const outgoing = request(
      `${url}/api/v1${path}`,
      { agent, method, headers: { ...own, ...headers, ...(body ? { 'content-length': body.length } : {}) } },
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

/** Asks one path again and again on one connection until told to stop; answers how long each took. */
export const pacer = (server: SoakServer, path: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  let going = true
  const done = (async () => {
    while (going) {
      const { status, ms } = await ask(server, path, { agent })
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      times.push(ms)
      // Leaves the server its breath: a pace is measured, not a load made.
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  return {
    stop: async (): Promise<readonly number[]> => {
      going = false
      await done
      agent.destroy()
      return times
    },
  }
}

/** How long a path takes while nothing else happens. */
export const paceFor = async (server: SoakServer, path: string, milliseconds: number): Promise<readonly number[]> => {
  const { stop } = pacer(server, path)
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  return stop()
}
