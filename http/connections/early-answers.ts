import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { Transfer } from './slow-clients.ts'

/** Maximum bytes that are received of a request after its answer: twice the maximum size of a run document. */
const MAX_DISCARDED_BYTES = 128 * 1024 * 1024

/** How long a client may keep its side of a connection open after the server has ended its own. */
export const CLOSE_TIMEOUT_MS = 5_000

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Closes the connection after an answer if the rest of a rejected body is too long to be received and discarded. */
export const closeIfUnread = (reply: FastifyReply): void => {
  const { headers, raw } = reply.request
  if (!raw.complete && Number(headers['content-length'] ?? 0) > MAX_DISCARDED_BYTES)
    void reply.header('connection', 'close')
}

export type EarlyAnswers = {
  /** Whether the current request of a connection is answered already while its body is still arriving. */
  readonly isAnswered: (socket: Socket) => boolean
  /**
   * Ends a connection as soon as the rest of an answered request is received. Returns false if there is nothing left to
   * receive: then the caller must end the connection.
   */
  readonly endAfterBody: (socket: Socket) => boolean
  /**
   * Ends the server's side of a connection and accepts no further request on it. Closes it when the client has ended
   * its side, or after `CLOSE_TIMEOUT_MS`.
   */
  readonly endInOrder: (socket: Socket) => void
}

/**
 * Lets clients receive an answer that is sent before their body has arrived. Closing a connection with unread bytes
 * resets it, and the client loses the answer. So the rest of the body is received and discarded, up to `maxBytes`. If
 * the answer was the last one of the connection, the server then ends its side, and waits until the client ends the
 * other side. `watch` disconnects slow clients.
 */
export const earlyAnswers = (
  server: Server,
  watch: (transfer: Transfer) => () => void,
  maxBytes = MAX_DISCARDED_BYTES,
): EarlyAnswers => {
  const receiving = new Map<Socket, { isLast: boolean }>()

  const follow = (request: IncomingMessage, response: ServerResponse): void => {
    if (!hasBody(request)) return
    const { socket } = request
    const answered = { isLast: false }
    // Node's own `finish` listener runs between these two. Without the first one, Node would close the connection at
    // once after its last answer. After any other answer, Node would receive and discard a body of any size.
    response.prependOnceListener('finish', () => {
      if (request.complete) return
      socket.destroySoon = () => void (answered.isLast = true)
      discardBody(request, answered)
    })
    response.once('finish', () => Reflect.deleteProperty(socket, 'destroySoon'))
  }
  server.on('request', follow)
  server.on('checkExpectation', follow)

  const discardBody = (request: IncomingMessage, answered: { isLast: boolean }): void => {
    const { socket } = request
    const startBytes = socket.bytesRead
    const forget = (): void => void receiving.delete(socket)
    receiving.set(socket, answered)
    socket.once('close', forget)
    request.on('data', () => {
      if (socket.bytesRead - startBytes > maxBytes) socket.destroy()
    })
    request.once('end', () => {
      forget()
      socket.off('close', forget)
      if (answered.isLast) endInOrder(socket)
    })
    request.resume()
  }

  const endInOrder = (socket: Socket): void => {
    // Bytes that arrive after the last request are discarded. They are not parsed as another request.
    socket.removeAllListeners('data').on('data', () => {})
    socket.end()
    socket.once(
      'close',
      watch({
        transferredBytes: () => 0,
        isWaiting: () => true,
        windowMs: CLOSE_TIMEOUT_MS,
        minBytes: () => 1,
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
