import { connect } from 'node:net'
import type { SoakServer } from './server.ts'

/** How a client takes its answer: at most so many bytes a second; none for one that does not read at all. */
type Pace = number

/** How many times a second it takes some: what a socket has received is no more than 64 KiB at a time. */
const TAKES = 4

/** Longest that one connection lives: then its client begins anew, as after a disconnection by the server. */
const LONGEST_MS = 90_000

/** Takes one answer; settles when the connection is closed by either side. Answers how many bytes came. */
const takeSlowly = (server: SoakServer, path: string, pace: Pace, isOver: () => boolean): Promise<number> =>
  new Promise((resolve) => {
    const from = performance.now()
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' })
    let taken = 0
    // Paused, so that bytes are taken by `read` alone.
    socket.pause()
    socket.on('error', () => {})
    socket.write(
      `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`,
    )
    const steps = setInterval(() => {
      for (let left = pace / TAKES; left > 0;) {
        const chunk = socket.read() as Buffer | null
        if (!chunk) break
        taken += chunk.length
        left -= chunk.length
      }
      if (isOver() || socket.readableEnded || performance.now() - from > LONGEST_MS) socket.destroy()
    }, 1000 / TAKES)
    socket.once('close', () => {
      clearInterval(steps)
      resolve(taken)
    })
  })

/** Clients that take large answers slowly or not at all, and ask again whenever their connection ends. */
export const slowReaders = (server: SoakServer, paths: readonly string[], paces: readonly Pace[]) => {
  let going = true
  let answers = 0
  let bytes = 0
  const lives = paths.flatMap((path) =>
    paces.map(async (pace) => {
      while (going) {
        bytes += await takeSlowly(server, path, pace, () => !going)
        answers++
      }
    }),
  )
  return {
    /** Ends them all; answers how many connections there were and how many bytes they took. */
    stop: async (): Promise<{ readonly answers: number; readonly bytes: number }> => {
      going = false
      await Promise.all(lives)
      return { answers, bytes }
    },
  }
}
