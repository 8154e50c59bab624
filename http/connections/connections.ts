import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { earlyAnswers, hasBody } from './early-answers.ts'
import type { EarlyAnswers } from './early-answers.ts'
import { slowClients } from './slow-clients.ts'
import type { Transfer } from './slow-clients.ts'

/** How often slow clients are looked for. */
export const CHECK_MS = 5_000

/** What a body must bring, and an answer be taken by, at least: 1 KiB/s. */
export const LEAST_RATE = 1024

export const BODY_WINDOW_MS = 15_000

/**
 * Longer, since what a client takes shows late: the kernel makes room again only once a third of its buffer is free,
 * which may be over a mebibyte.
 */
export const ANSWER_WINDOW_MS = 60_000

/**
 * The share of itself that a body must grow by in each window, so that nobody sends much at once and then holds it
 * back. Whoever is steady and through within the 300 s that a request may take always does.
 */
export const LEAST_GROWTH = 0.05

export type Connections = Pick<EarlyAnswers, 'endInOrder' | 'isAnswered'> & {
  /** From here on a connection ends with its last answer; those that say nothing end at once. */
  readonly endIdle: () => void
  /** Closes every connection that is left. Returns the requests that were not done. */
  readonly cut: () => IncomingMessage[]
  /** Gives up on clients that send or take too little; to be called every `CHECK_MS`. */
  readonly dropSlow: () => void
}

/**
 * Follows the connections of a server. A close waits for requests in flight and for nothing else: a client that
 * connected and says nothing would hold it back until its deadline. A body that dribbles in is one that took too long
 * (408); an answer that is not taken is given up.
 */
export const connectionsOf = (server: Server, now: () => number = () => performance.now()): Connections => {
  const requests = new Map<Socket, Set<IncomingMessage>>()
  const slow = slowClients(now)
  const early = earlyAnswers(server, slow.watch)
  let closing = false

  server.on('connection', (socket: Socket) => {
    requests.set(socket, new Set())
    socket.once('close', () => requests.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const open = requests.get(socket)
    open?.add(request)
    // Complete is known only later, of a request without a body too.
    if (!request.complete && hasBody(request)) watchBody(request, response)
    const stopWatching = slow.watch(answerTo(response, socket))
    response.once('close', () => {
      stopWatching()
      open?.delete(request)
      // Not only ended: a peer that keeps its own side open would hold the close back.
      if (closing && open?.size === 0 && !early.endAfterBody(socket)) socket.destroySoon()
    })
  })

  const watchBody = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const tooSlow = (): void => {
      if (response.headersSent) socket.destroy()
      // As Node itself tells of a request that took too long.
      else
        server.emit(
          'clientError',
          Object.assign(new Error('the body comes too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
          socket,
        )
    }
    request.once('close', slow.watch(bodyOf(request, tooSlow)))
  }

  const endIdle = (): void => {
    closing = true
    for (const [socket, open] of requests) if (open.size === 0 && !early.endAfterBody(socket)) socket.destroy()
  }
  // Node's own, which every close calls, takes an answer for done once it is handed over: it would cut those that are
  // still being taken.
  server.closeIdleConnections = endIdle

  return {
    endIdle,
    cut: () => {
      const left = [...requests.values()].flatMap((open) => [...open])
      for (const socket of [...requests.keys()]) socket.destroy()
      return left
    },
    dropSlow: slow.check,
    endInOrder: early.endInOrder,
    isAnswered: early.isAnswered,
  }
}

const bodyOf = (request: IncomingMessage, drop: () => void): Transfer => {
  const { socket } = request
  const before = socket.bytesRead
  return {
    moved: () => socket.bytesRead - before,
    // With something left to read, it is the client that waits for us.
    isWaiting: () => !request.complete && request.readableLength === 0,
    windowMs: BODY_WINDOW_MS,
    least: (held) => Math.max((LEAST_RATE * BODY_WINDOW_MS) / 1000, held * LEAST_GROWTH),
    drop,
  }
}

/** What Node's own timeout of a socket looks at too; its types keep it to themselves. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number }

const answerTo = (response: ServerResponse, socket: Socket): Transfer => {
  const handle = (): Handle =>
    (socket as unknown as { readonly _handle: Handle | null })._handle ?? { bytesWritten: 0, writeQueueSize: 0 }
  return {
    // Not `socket.bytesWritten`, which counts what waits in this process as written.
    moved: () => handle().bytesWritten - handle().writeQueueSize,
    isWaiting: () => handle().writeQueueSize > 0,
    windowMs: ANSWER_WINDOW_MS,
    least: () => (LEAST_RATE * ANSWER_WINDOW_MS) / 1000,
    drop: () => void response.destroy(),
  }
}
