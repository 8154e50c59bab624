import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { earlyAnswers, hasBody, type EarlyAnswers } from './early-answers.ts'
import { slowClients, type Transfer } from './slow-clients.ts'

/** Interval at which slow clients are looked for and disconnected. */
export const CHECK_MS = 5_000

/** The slowest rate, in bytes per second, at which a client may send a body or receive an answer. */
export const MIN_BYTES_PER_SECOND = 1024

export const BODY_WINDOW_MS = 15_000

/**
 * Longer than the window of a body, because we notice late what a client has received: the kernel accepts more only
 * when a third of its buffer is free, and that third may be over a mebibyte.
 */
export const ANSWER_WINDOW_MS = 60_000

/**
 * The share of its size by which a body must grow in each window. Without it a client could send much at once and then
 * stall. A client that sends steadily, and finishes within the 300 s of a request, always exceeds it.
 */
export const MIN_BODY_GROWTH = 0.05

export type Connections = Pick<EarlyAnswers, 'endInOrder' | 'isAnswered'> & {
  /** Closes idle connections at once. From now on, every other connection is closed after its last answer. */
  readonly endIdle: () => void
  /** Closes every remaining connection. Returns the requests that were not done. */
  readonly cut: () => IncomingMessage[]
  /** Disconnects clients that send or receive too little; to be called every `CHECK_MS`. */
  readonly dropSlow: () => void
}

/**
 * Tracks the connections of a server. A close waits only for requests in flight. If it also waited for idle clients,
 * they would delay it until the deadline. A body that arrives too slowly is answered with 408. If a client does not
 * read its answer, it is disconnected.
 */
export const trackConnections = (server: Server, now: () => number = () => performance.now()): Connections => {
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
    const inFlight = requests.get(socket)
    inFlight?.add(request)
    // `complete` is set later, even for a request without a body.
    if (!request.complete && hasBody(request)) watchBody(request, response)
    const stopWatching = slow.watch(answerTo(response, socket))
    response.once('close', () => {
      stopWatching()
      inFlight?.delete(request)
      // Ending our side is not enough: a client that keeps its own side open would delay the close.
      if (closing && inFlight?.size === 0 && !early.endAfterBody(socket)) socket.destroySoon()
    })
  })

  const watchBody = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const tooSlow = (): void => {
      if (response.headersSent) socket.destroy()
      // The same event that Node emits for a request that took too long.
      else
        server.emit(
          'clientError',
          Object.assign(new Error('the body arrives too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
          socket,
        )
    }
    request.once('close', slow.watch(bodyTransfer(request, tooSlow)))
  }

  const endIdle = (): void => {
    closing = true
    for (const [socket, inFlight] of requests) if (inFlight.size === 0 && !early.endAfterBody(socket)) socket.destroy()
  }
  // Every close of the server calls this function, so it is replaced. Node's own version considers an answer done when
  // it is handed to the socket. It would close connections whose answers are still being sent.
  server.closeIdleConnections = endIdle

  return {
    endIdle,
    cut: () => {
      const left = [...requests.values()].flatMap((inFlight) => [...inFlight])
      for (const socket of [...requests.keys()]) socket.destroy()
      return left
    },
    dropSlow: slow.check,
    endInOrder: early.endInOrder,
    isAnswered: early.isAnswered,
  }
}

const bodyTransfer = (request: IncomingMessage, drop: () => void): Transfer => {
  const { socket } = request
  const startBytes = socket.bytesRead
  return {
    transferredBytes: () => socket.bytesRead - startBytes,
    // If there is something left to read, the client waits for us.
    isWaiting: () => !request.complete && request.readableLength === 0,
    windowMs: BODY_WINDOW_MS,
    minBytes: (received) => Math.max((MIN_BYTES_PER_SECOND * BODY_WINDOW_MS) / 1000, received * MIN_BODY_GROWTH),
    drop,
  }
}

/** Fields that Node's own socket timeout reads too, but that its types do not declare. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number }

const answerTo = (response: ServerResponse, socket: Socket): Transfer => {
  const handle = (): Handle =>
    (socket as unknown as { readonly _handle: Handle | null })._handle ?? { bytesWritten: 0, writeQueueSize: 0 }
  return {
    // Not `socket.bytesWritten`, which also counts bytes that wait in this process.
    transferredBytes: () => handle().bytesWritten - handle().writeQueueSize,
    isWaiting: () => handle().writeQueueSize > 0,
    windowMs: ANSWER_WINDOW_MS,
    minBytes: () => (MIN_BYTES_PER_SECOND * ANSWER_WINDOW_MS) / 1000,
    drop: () => void response.destroy(),
  }
}
