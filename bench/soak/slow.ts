import { connect, type Socket } from 'node:net'
import { benchDocument } from '../documents.ts'
import { ask, paceFor, pacer } from './clients.ts'
import { startSoakServer, type SoakServer } from './server.ts'
import { quantile, setting, wait, type SoakContext } from './soak.ts'

const CLIENTS_PER_KIND = 75
/** Handles that do not belong to slow clients: other connections of this program, and files that the service opens. */
const OTHER_HANDLES = 6
/**
 * Maximum lifetime of a slow client. The service's deadlines are 20 s for headers, 15 s for a body and 60 s for a
 * response. They double if much was transferred at first, and are checked every 5 s.
 */
const MAX_LIFETIME_S = 150
/** Maximum time for which an honest client gets 503 because slow clients use the whole upload budget. */
const MAX_REFUSAL_S = 40

type Kind = {
  readonly name: string
  readonly begin: (socket: Socket, server: SoakServer) => void
  readonly step?: (socket: Socket) => void
  /** Does not read, and so does not notice the end of its connection. The server's handles are counted instead. */
  readonly isDeaf?: boolean
}

const head = (server: SoakServer, line: string): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\n`

const KINDS: readonly Kind[] = [
  { name: 'send nothing', begin: () => {} },
  {
    name: 'dribble headers',
    begin: (socket, server) => void socket.write(head(server, 'GET /api/v1/runs')),
    step: (socket) => void socket.write('x'),
  },
  {
    name: 'dribble a body',
    begin: (socket, server) => {
      socket.write(
        `${head(server, 'POST /api/v1/runs')}Content-Type: application/json\r\nContent-Length: 60000000\r\n\r\n`,
      )
      // A large first part, so that the clients together use the whole upload budget.
      socket.write(Buffer.alloc(4 * 1024 * 1024, 0x20))
    },
    step: (socket) => void socket.write(' '),
  },
  {
    name: 'read an export of 64 MiB at 1 KB/s',
    isDeaf: true,
    begin: (socket, server) => {
      socket.pause()
      socket.write(`${head(server, 'GET /api/v1/runs/bench-00000000/export')}\r\n`)
    },
    step: (socket) => void socket.read(1024),
  },
]

/**
 * Slow clients of all kinds at once. Other clients must not be affected, and each slow client is disconnected in time.
 */
export const slow = async ({ print, expect, fail }: SoakContext): Promise<void> => {
  const count = setting('SOAK_SLOW_CLIENTS', CLIENTS_PER_KIND)
  const server = await startSoakServer()
  try {
    const upload = (n: number) => ask(server, '/runs', { method: 'POST', body: Buffer.from(benchDocument(n)) })
    const big = Buffer.from(benchDocument(0, { cases: 35_000, bytesPerCase: 1300 }))
    if ((await ask(server, '/runs', { method: 'POST', body: big })).status !== 201)
      return fail('the large document was not stored')
    for (let n = 1; n < 20; n++) await upload(n)
    await paceFor(server, '/runs', 500)
    const idle = await paceFor(server, '/runs', 4000)
    print(
      `${count} clients of each kind; lists idle: p50 ${quantile(idle, 0.5).toFixed(1)} ms, p99 ${quantile(idle, 0.99).toFixed(1)} ms; ${server.usage().resident.toFixed(0)} MiB, ${server.usage().handles} handles`,
    )

    const idleHandles = server.usage().handles
    server.forgetPeak()
    const from = performance.now()
    const clients = KINDS.map((kind) => ({
      kind,
      lifetimes: Array.from({ length: count }, () => slowClient(server, kind)),
    }))
    const deaf = KINDS.filter(({ isDeaf }) => isDeaf).length * count
    // Until the kernel's buffers are full, the exports are fast downloads. That load is not measured.
    await wait(3000)
    const lists = pacer(server, '/runs')
    const uploads = honestUploads(upload)
    await wait(12_000)
    const times = await lists.stop()
    const [before, now] = [quantile(idle, 0.99), quantile(times, 0.99)]
    expect(
      now <= Math.max(2 * before, before + 5),
      `lists at the same time: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${now.toFixed(1)} ms`,
    )
    const { resident, handles } = server.usage()
    print(`at the same time ${resident.toFixed(0)} MiB, ${handles} handles`)

    for (const { kind, lifetimes } of clients) {
      if (kind.isDeaf) continue
      const ages = await Promise.all(
        lifetimes.map((lifetime) =>
          Promise.race([lifetime, wait(MAX_LIFETIME_S * 1000 - (performance.now() - from)).then(() => null)]),
        ),
      )
      const closed = ages.filter((age) => age !== null)
      expect(
        closed.length === count,
        `clients that ${kind.name}: ${closed.length} of ${count} closed, the first after ${(Math.min(...closed) / 1000).toFixed(0)} s, the last after ${(Math.max(...closed) / 1000).toFixed(0)} s`,
      )
    }
    const remaining = (): number => Math.max(0, server.usage().handles - idleHandles - OTHER_HANDLES)
    const remainingBefore = Math.min(remaining(), deaf)
    while (remaining() > 0 && performance.now() - from < MAX_LIFETIME_S * 1000) await wait(500)
    const names = KINDS.filter(({ isDeaf }) => isDeaf).map(({ name }) => name)
    expect(
      remaining() === 0,
      `clients that ${names.join()}: about ${remainingBefore} of ${deaf} still connected by then, ${remaining()} after ${((performance.now() - from) / 1000).toFixed(0)} s`,
    )
    const { stored, refused, longestRefusal } = await uploads.stop()
    expect(
      stored > 0 && longestRefusal < MAX_REFUSAL_S * 1000,
      `honest uploads at the same time: ${stored} stored, ${refused} refused, for ${(longestRefusal / 1000).toFixed(1)} s at most`,
    )
    await wait(1000)
    print(
      `afterwards ${server.usage().resident.toFixed(0)} MiB (${server.usage().peak.toFixed(0)} at most), ${server.usage().handles} handles`,
    )
    expect(
      server.isAlive() && server.failures.length === 0,
      `the server is running; ${server.failures.length} failures in its log ${server.failures[0] ?? ''}`,
    )
  } finally {
    await server.stop()
  }
}

/** Resolves with the milliseconds until the server closes the connection. The client never closes it itself. */
const slowClient = (server: SoakServer, { begin, step }: Kind): Promise<number> =>
  new Promise((resolve) => {
    const from = performance.now()
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    begin(socket, server)
    const steps = step ? setInterval(() => step(socket), 1000) : undefined
    if (!socket.isPaused()) socket.resume()
    const over = (): void => {
      clearInterval(steps)
      socket.destroy()
      resolve(performance.now() - from)
    }
    socket.once('close', over)
    socket.once('end', over)
  })

/** Uploads one document after another; after a refusal it waits and retries, as a correct client does. */
const honestUploads = (upload: (n: number) => Promise<{ status: number }>) => {
  let isRunning = true
  let stored = 0
  let refused = 0
  let longestRefusal = 0
  const done = (async () => {
    let since = performance.now()
    for (let n = 100; isRunning; n++) {
      const { status } = await upload(n)
      if (status === 201) {
        stored++
        longestRefusal = Math.max(longestRefusal, performance.now() - since)
        since = performance.now()
      } else refused++
      await wait(status === 201 ? 200 : 1000)
    }
  })()
  return {
    stop: async () => {
      isRunning = false
      await done
      return { stored, refused, longestRefusal }
    },
  }
}
