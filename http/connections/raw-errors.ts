import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { DATA_ONLY } from '../answers/cache-rules.ts'
import type { WriteAccess } from '../metrics/access-log.ts'
import type { Connections } from './connections.ts'

// Responses to requests that Node rejects before the app receives them. Their body has the same shape as the body of
// every other error response.

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the request line or headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long'],
}

const DATA_ONLY_LINES = Object.entries(DATA_ONLY)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

type ClientError = Error & { readonly code: string }

/** Answers a request that Node could not parse, or that took too long, and ends its connection. */
export const answerClientError = (
  error: ClientError,
  socket: Socket,
  { connections, mint }: { readonly connections: Connections; readonly mint: () => string },
): void => {
  if (error.code === 'ECONNRESET' || !socket.writable || connections.isAnswered(socket)) return void socket.destroy()
  const [status, reason] = CLIENT_ERRORS[error.code] ?? ['400 Bad Request', 'the request is not valid HTTP']
  const body = JSON.stringify({ error: reason })
  socket.end(
    `HTTP/1.1 ${status}\r\nx-request-id: ${mint()}\r\ncontent-type: application/json\r\n${DATA_ONLY_LINES}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  // Closed after the answer, without waiting for the client: one that keeps sending slowly would otherwise hold the
  // connection and its memory.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroySoon()
  else connections.endInOrder(socket)
}

/** Answers 417 to a request with any `Expect` header but `100-continue`. */
export const rejectExpectation =
  ({ mint, writeAccess }: { readonly mint: () => string; readonly writeAccess: WriteAccess }): RequestListener =>
  ({ method, url = '/' }: IncomingMessage, response) => {
    const request_id = mint()
    const body = JSON.stringify({ error: 'the expectation cannot be met: only 100-continue is known' })
    response
      .writeHead(417, {
        'x-request-id': request_id,
        'content-type': 'application/json',
        ...DATA_ONLY,
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
    writeAccess({ method, path: url.split('?', 1)[0] ?? '', request_id, status: 417, milliseconds: 0 })
  }
