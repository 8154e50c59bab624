import { request as plainRequest, Agent as PlainAgent, type IncomingHttpHeaders } from 'node:http'
import { request as tlsRequest, Agent as TlsAgent } from 'node:https'

/** A request took too long. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The whole request was sent, so its memory is not read any more. */
  readonly isSent: boolean
}

type Sent = {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: readonly Uint8Array[]
  readonly timeoutMs: number
  /** The longest body of an answer. */
  readonly maxBytes: number
}

/** A machine that is not there must not take the time of one that works. */
const CONNECT_MS = 3000

/** Sends requests on connections that stay open. */
export type Sender = { readonly send: (request: Sent) => Promise<Answer>; readonly close: () => void }

/**
 * Node's own client, because `fetch` copies bodies. It follows no redirect. Rejects with `TimedOut`, or with the error of the connection, also
 * when a body is cut.
 */
export const openSender = (): Sender => {
  const agents = { 'http:': new PlainAgent({ keepAlive: true }), 'https:': new TlsAgent({ keepAlive: true }) }
  return {
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
    send: ({ url, method, headers, body, timeoutMs, maxBytes }) =>
      new Promise((resolve, reject) => {
        const isTls = url.protocol === 'https:'
        const request = (isTls ? tlsRequest : plainRequest)(url, {
          method,
          agent: agents[isTls ? 'https:' : 'http:'],
          headers: { ...Object.fromEntries(headers), 'content-length': String(sizeOf(body)) },
        })
        const late = (ms: number): NodeJS.Timeout =>
          setTimeout(() => request.destroy(new TimedOut(`no answer within ${ms} ms`)), ms)
        const timer = late(timeoutMs)
        const connecting = late(Math.min(timeoutMs, CONNECT_MS))
        const done = (): void => {
          clearTimeout(timer)
          clearTimeout(connecting)
        }
        request.on('error', (error) => {
          done()
          reject(error)
        })
        request.on('socket', (socket) => {
          const isConnected = (): void => clearTimeout(connecting)
          if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', isConnected)
          else isConnected()
        })
        request.on('response', (response) => {
          const chunks: Buffer[] = []
          let bytes = 0
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes > maxBytes) request.destroy(new Error(`an answer of more than ${maxBytes} bytes`))
            else chunks.push(chunk)
          })
          response.on('error', (error) => {
            done()
            reject(error)
          })
          response.on('end', () => {
            done()
            const isSent = request.writableFinished
            // An early answer: what is left of the request must not be sent into it.
            if (!isSent) request.destroy()
            const { statusCode = 0, headers } = response
            resolve({ status: statusCode, headers, body: Buffer.concat(chunks), isSent })
          })
        })
        for (const chunk of body) request.write(chunk)
        request.end()
      }),
  }
}

/** The bytes of chunks together. */
export const sizeOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, { length }) => sum + length, 0)
