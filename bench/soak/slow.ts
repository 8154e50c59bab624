import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { benchDocument } from '../documents.ts'
import { ask, paceFor, pacer } from './clients.ts'
import { startSoakServer } from './server.ts'
import type { SoakServer } from './server.ts'
import { quantile, setting, wait } from './soak.ts'
import type { Ground } from './soak.ts'

const EACH = 75
/** Connections of our own that may be open, and files that the service opens by the way. */
const OTHERS = 6
/**
 * No slow client may live longer. The deadlines are 20 s for headers, 15 s for a body and 60 s for an answer, twice as
 * long for what moved much at first, and a look every 5 s.
 */
const LONGEST_S = 150
/** How long an honest client may be told to come back because others hold all the room there is. */
const LONGEST_REFUSAL_S = 40

type Kind = {
  readonly name: string
  readonly begin: (socket: Socket, server: SoakServer) => void
  readonly step?: (socket: Socket) => void
  /** Who does not read does not hear of the end either: then it is the server that is asked. */
  readonly isDeaf?: boolean
}

const head = (server: SoakServer, line: string): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\n`

const KINDS: readonly Kind[] = [
  { name: 'say nothing', begin: () => {} },
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
      // Much at once, so that together they fill what may wait.
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

/** Slow clients of every kind at once: nobody else notices, and each is let go of in time. */
export const slow = async ({ say, expect, fail }: Ground): Promise<void> => {
  const count = setting('SOAK_SLOW_CLIENTS', EACH)
  const server = await startSoakServer()
  try {
    const upload = (n: number) => ask(server, '/runs', { method: 'POST', body: Buffer.from(benchDocument(n)) })
    const big = Buffer.from(benchDocument(0, { cases: 35_000, bytesACase: 1300 }))
    if ((await ask(server, '/runs', { method: 'POST', body: big })).status !== 201)
      return fail('the large document was not stored')
    for (let n = 1; n < 20; n++) await upload(n)
    await paceFor(server, '/runs', 500)
    const idle = await paceFor(server, '/runs', 4000)
    say(
      `${count} clients of each kind; lists idle: p50 ${quantile(idle, 0.5).toFixed(1)} ms, p99 ${quantile(idle, 0.99).toFixed(1)} ms; ${server.usage().resident.toFixed(0)} MiB, ${server.usage().handles} handles`,
    )

    const idleHandles = server.usage().handles
    server.forgetPeak()
    const from = performance.now()
    const lives = KINDS.map((kind) => ({ kind, lives: Array.from({ length: count }, () => slowClient(server, kind)) }))
    const deaf = KINDS.filter(({ isDeaf }) => isDeaf).length * count
    // The kernel's buffers fill first: that is a load, and not what is slow about them.
    await wait(3000)
    const meanwhile = pacer(server, '/runs')
    const uploads = honestUploads(upload)
    await wait(12_000)
    const times = await meanwhile.stop()
    const [before, now] = [quantile(idle, 0.99), quantile(times, 0.99)]
    expect(
      now <= Math.max(2 * before, before + 5),
      `lists meanwhile: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${now.toFixed(1)} ms`,
    )
    const { resident, handles } = server.usage()
    say(`meanwhile ${resident.toFixed(0)} MiB, ${handles} handles`)

    for (const { kind, lives: ends } of lives) {
      if (kind.isDeaf) continue
      const ages = await Promise.all(
        ends.map((end) => Promise.race([end, wait(LONGEST_S * 1000 - (performance.now() - from)).then(() => null)])),
      )
      const closed = ages.filter((age) => age !== null)
      expect(
        closed.length === count,
        `those who ${kind.name}: ${closed.length} of ${count} closed, the first after ${(Math.min(...closed) / 1000).toFixed(0)} s, the last after ${(Math.max(...closed) / 1000).toFixed(0)} s`,
      )
    }
    const left = (): number => Math.max(0, server.usage().handles - idleHandles - OTHERS)
    const most = Math.min(left(), deaf)
    while (left() > 0 && performance.now() - from < LONGEST_S * 1000) await wait(500)
    const told = KINDS.filter(({ isDeaf }) => isDeaf).map(({ name }) => name)
    expect(
      left() === 0,
      `those who ${told.join()}: about ${most} of ${deaf} still there by then, ${left()} after ${((performance.now() - from) / 1000).toFixed(0)} s`,
    )
    const { stored, refused, longestRefusal } = await uploads.stop()
    expect(
      stored > 0 && longestRefusal < LONGEST_REFUSAL_S * 1000,
      `honest uploads meanwhile: ${stored} stored, ${refused} told to come back, for ${(longestRefusal / 1000).toFixed(1)} s at most`,
    )
    await wait(1000)
    say(
      `afterwards ${server.usage().resident.toFixed(0)} MiB (${server.usage().peak.toFixed(0)} at most), ${server.usage().handles} handles`,
    )
    expect(
      server.isAlive() && server.failures.length === 0,
      `the server lives; ${server.failures.length} failures in its log ${server.failures[0] ?? ''}`,
    )
  } finally {
    await server.stop()
  }
}

/** Lives until the server ends it; answers for how many milliseconds. It never ends by itself, whatever it is told. */
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

/** One upload after another, as a client does that comes back when it is told to. */
const honestUploads = (upload: (n: number) => Promise<{ status: number }>) => {
  let going = true
  let stored = 0
  let refused = 0
  let longestRefusal = 0
  const done = (async () => {
    let since = performance.now()
    for (let n = 100; going; n++) {
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
      going = false
      await done
      return { stored, refused, longestRefusal }
    },
  }
}
