import { Agent, request as httpRequest, type AgentOptions, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { HttpFetch, HttpResponse, Ports } from '../../engine/ports.ts'
import { proxiesOf } from './proxies.ts'

// `fetch` needs twice the time for a small request and leaves so much garbage that a run of 10,000 calls holds 450 MiB;
// with `node:http` it holds less than 300.

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/**
 * Sends HTTP requests over connections that stay open, through the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name.
 * Redirects are returned, not followed. A declared header replaces the client's own of that name. Throws `UsageError`
 * where a variable names no proxy that can be used.
 */
export const createHttpClient = (env: Ports['env']): HttpFetch => {
  const proxyEnv = proxiesOf(env)
  const kept = agentsOf({ keepAlive: true, proxyEnv })
  const fresh = agentsOf({ proxyEnv })
  return async (url, init) => {
    try {
      return await send(kept, url, init)
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      return await send(fresh, url, init)
    }
  }
}

type Agents = { readonly 'http:': Agent; readonly 'https:': SecureAgent }

const agentsOf = (options: AgentOptions): Agents => ({
  'http:': new Agent(options),
  'https:': new SecureAgent(options),
})

/**
 * A request could not be written to the idle connection that was chosen for it: the server cannot have all of it, and it
 * is sent again on a new one. Any other end of a connection is reported: it does not show whether the server acted on
 * the request, and a call that is sent twice is paid for twice (RFC 9110, section 9.2.2).
 */
class NotSent extends Error {
  override readonly name = 'NotSent'
}

const send = (
  agents: Agents,
  url: URL,
  { method, headers, body, signal }: Parameters<HttpFetch>[1],
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const isSecure = url.protocol === 'https:'
    // As bytes: node would write headers in the encoding of a body that is text.
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      agent: isSecure ? agents['https:'] : agents['http:'],
      headers: allHeaders(headers, [
        ['accept', '*/*'],
        ['accept-encoding', 'gzip, deflate, br'],
        ...(bytes === null ? [] : [['content-length', String(bytes.length)] as const]),
        ['host', url.host],
      ]),
      // The certificate is that of the address, whatever a declared `host` says.
      ...(isSecure && { servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '' }),
    })
    const onAbort = (): void =>
      void request.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    signal.addEventListener('abort', onAbort, { once: true })
    const settle = (): void => signal.removeEventListener('abort', onAbort)
    let isClosed = false
    // An agent may choose a connection that is closed but not yet removed from its idle ones.
    request.on('socket', (socket) => (isClosed = socket.destroyed))
    request.on('error', (error: NodeJS.ErrnoException) => {
      settle()
      if (signal.aborted) reject(signal.reason as Error)
      else if (request.reusedSocket && (isClosed || error.syscall === 'write'))
        reject(new NotSent('the connection was closed', { cause: error }))
      else reject(error)
    })
    request.on('response', (response) => {
      response.on('close', settle)
      resolve(asResponse(response, method))
    })
    request.end(bytes ?? undefined)
  })

type Header = readonly [name: string, value: string]

/**
 * Own headers, except those of declared names, and then the declared ones. An object, because node adds the headers of a
 * proxy to no list.
 */
const allHeaders = (declared: readonly Header[], own: readonly Header[]): Record<string, string | string[]> => {
  const names = new Set(declared.map(([name]) => name.toLowerCase()))
  const joined = new Map<string, [name: string, value: string | string[]]>()
  for (const [name, value] of [...own.filter((header) => !names.has(header[0])), ...declared]) {
    const earlier = joined.get(name.toLowerCase())
    joined.set(name.toLowerCase(), earlier === undefined ? [name, value] : [earlier[0], [earlier[1], value].flat()])
  }
  return Object.fromEntries(joined.values())
}

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
