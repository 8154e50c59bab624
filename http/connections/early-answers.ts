import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Transfer } from './slow-clients.ts'

/** The most bytes that are received of a request after its answer: twice what a run document may have. */
export const MAX_DISCARDED_BYTES = 128 * 1024 * 1024

/** How long a client may keep its side of a connection open after the server has ended its own. */
export const FAREWELL_MS = 5_000

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

export type EarlyAnswers = {
  /** Whether the request that comes over a connection has its answer already, while its body still comes. */
  readonly isAnswered: (socket: Socket) => boolean
  /**
   * Ends a connection as soon as the rest of an answered request is received. Returns false where nothing is left to
   * receive: then the caller ends it.
   */
  readonly endAfterBody: (socket: Socket) => boolean
  /**
   * Ends the server's side of a connection, reads no further request from it, and closes it when the client has ended
   * its side, or after `FAREWELL_MS`.
   */
  readonly endInOrder: (socket: Socket) => void
}

/**
 * Lets clients hear an answer that is out before their body is. A connection that is closed while bytes of its client
 * are unread is reset, and the reset takes the answer along. So the rest of the body is received and let go, up to
 * `mostBytes`; then a last answer ends the connection, one side after the other. `watch` gives up on slow clients.
 */
export const earlyAnswers = (
  server: Server,
  watch: (transfer: Transfer) => () => void,
  mostBytes = MAX_DISCARDED_BYTES,
): EarlyAnswers => {
  const receiving = new Map<Socket, { isLast: boolean }>()

  const follow = (request: IncomingMessage, response: ServerResponse): void => {
    if (!hasBody(request)) return
    const { socket } = request
    const answered = { isLast: false }
    // Node's own listener comes between these two: it would close the connection of a last answer at once, and let
    // bodies go without a bound.
    response.prependOnceListener('finish', () => {
      if (request.complete) return
      socket.destroySoon = () => void (answered.isLast = true)
      letGo(request, answered)
    })
    response.once('finish', () => Reflect.deleteProperty(socket, 'destroySoon'))
  }
  server.on('request', follow)
  server.on('checkExpectation', follow)

  const letGo = (request: IncomingMessage, answered: { isLast: boolean }): void => {
    const { socket } = request
    const before = socket.bytesRead
    const forget = (): void => void receiving.delete(socket)
    receiving.set(socket, answered)
    socket.once('close', forget)
    request.on('data', () => {
      if (socket.bytesRead - before > mostBytes) socket.destroy()
    })
    request.once('end', () => {
      forget()
      socket.off('close', forget)
      if (answered.isLast) endInOrder(socket)
    })
    request.resume()
  }

  const endInOrder = (socket: Socket): void => {
    // What comes behind the last request is none: it is let go unread.
    socket.removeAllListeners('data').on('data', () => {})
    socket.end()
    socket.once(
      'close',
      watch({
        moved: () => 0,
        isWaiting: () => true,
        windowMs: FAREWELL_MS,
        least: () => 1,
        drop: () => void socket.destroy(),
      }),
    )
  }

  return {
    isAnswered: (socket) => receiving.has(socket),
    endAfterBody: (socket) => {
      const answered = receiving.get(socket)
      if (answered) answered.isLast = true
      return answered !== undefined
    },
    endInOrder,
  }
}
