import { connect } from 'node:net'
import type { SoakServer } from './server.ts'

/** Maximum bytes per second that a client reads; 0 for a client that does not read at all. */
type Pace = number

/** Number of reads per second; a socket buffers at most 64 KiB at a time. */
const READS_PER_SECOND = 4

/** Maximum lifetime of a connection. Then its client opens a new one, as after a disconnection by the server. */
const MAX_CONNECTION_MS = 90_000

/** Reads one response slowly. Resolves with the number of received bytes when either side closes the connection. */
const readSlowly = (server: SoakServer, path: string, pace: Pace, isOver: () => boolean): Promise<number> =>
  new Promise((resolve) => {
    const from = performance.now()
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' })
    let received = 0
    // Paused, so that only `read` takes bytes.
    socket.pause()
    socket.on('error', () => {})
    socket.write(
      `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`,
    )
    const steps = setInterval(() => {
      for (let budget = pace / READS_PER_SECOND; budget > 0;) {
        const chunk = socket.read() as Buffer | null
        if (!chunk) break
        received += chunk.length
        budget -= chunk.length
      }
      if (isOver() || socket.readableEnded || performance.now() - from > MAX_CONNECTION_MS) socket.destroy()
    }, 1000 / READS_PER_SECOND)
    socket.once('close', () => {
      clearInterval(steps)
      resolve(received)
    })
  })

/** Clients that read large responses slowly or not at all, and connect again whenever their connection ends. */
export const slowReaders = (server: SoakServer, paths: readonly string[], paces: readonly Pace[]) => {
  let isRunning = true
  let connections = 0
  let bytes = 0
  const clients = paths.flatMap((path) =>
    paces.map(async (pace) => {
      while (isRunning) {
        bytes += await readSlowly(server, path, pace, () => !isRunning)
        connections++
      }
    }),
  )
  return {
    /** Stops all clients. Returns the number of connections and of bytes read. */
    stop: async (): Promise<{ readonly connections: number; readonly bytes: number }> => {
      isRunning = false
      await Promise.all(clients)
      return { connections, bytes }
    },
  }
}
