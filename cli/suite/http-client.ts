import { Agent, request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { HttpFetch, HttpResponse, Ports } from '../../engine/ports.ts'

// `fetch` needs twice the time for a small request and leaves so much garbage that a run of 10,000 calls holds 450 MiB;
// with `node:http` it holds less than 300. The proxies of the environment count too.

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/**
 * Sends HTTP requests over connections that stay open, through the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name.
 * Redirects are returned, not followed.
 */
export const createHttpClient = (env: Ports['env']): HttpFetch => {
  const options = { keepAlive: true, proxyEnv: { ...env } }
  const agents = { 'http:': new Agent(options), 'https:': new SecureAgent(options) }
  return async (url, init) => {
    try {
      return await send(agents, url, init, false)
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return await send(agents, url, init, true)
    }
  }
}

type Agents = { readonly 'http:': Agent; readonly 'https:': SecureAgent }

/** The server closed an idle connection while a request was written to it: the request is sent once more, on another. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

const send = (
  agents: Agents,
  url: URL,
  { method, headers, body, signal }: Parameters<HttpFetch>[1],
  isSecondAttempt: boolean,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const isSecure = url.protocol === 'https:'
    // As bytes: node would write headers in the encoding of a body that is text.
    const bytes = body === null ? null : Buffer.from(body)
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      agent: isSecondAttempt ? undefined : isSecure ? agents['https:'] : agents['http:'],
      headers: [
        ...(headers.some(([name]) => name.toLowerCase() === 'accept') ? [] : [['accept', '*/*'] as const]),
        ['accept-encoding', 'gzip, deflate, br'] as const,
        ...(bytes === null ? [] : [['content-length', String(bytes.length)] as const]),
        ['host', url.host] as const,
        ...headers,
      ].flat(),
    })
    const onAbort = (): void =>
      void request.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    signal.addEventListener('abort', onAbort, { once: true })
    const settle = (): void => signal.removeEventListener('abort', onAbort)
    request.on('error', (error: NodeJS.ErrnoException) => {
      settle()
      if (signal.aborted) reject(signal.reason as Error)
      else if (!isSecondAttempt && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
        reject(new StaleConnection('the connection was closed', { cause: error }))
      else reject(error)
    })
    request.on('response', (response) => {
      response.on('close', settle)
      resolve(asResponse(response, method))
    })
    request.end(bytes ?? undefined)
  })

const asResponse = (response: IncomingMessage, method: string): HttpResponse => {
  const status = response.statusCode ?? 0
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  const decode = DECODERS[(headers.get('content-encoding') ?? '').trim().toLowerCase()]
  // The iterator of the stream reports a fault of either stream.
  const body: Readable =
    hasBody && decode !== undefined ? (pipeline(response, decode(), () => undefined) as unknown as Readable) : response
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null, [Symbol.iterator]: () => headers.entries() },
    body: Object.assign(body, {
      cancel: async () => {
        // What is left of a short body is read, so that its connection stays open; a long one ends its connection.
        if (response.readableLength > 0 || !response.complete) response.destroy()
        else response.resume()
      },
    }),
  }
}
