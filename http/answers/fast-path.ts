import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { BODY_HEADERS, type HotBody } from '../../runtime/cache/shared-cache.ts'
import { JSON_HEADERS } from '../../runtime/response-cache.ts'
import { NO_CACHE_ENTRY, notFound } from '../errors.ts'
import type { Gate } from '../identity/gate.ts'
import type { StoreCacheBody } from '../requests/cache-bodies.ts'
import { namesOneHost } from '../requests/host-header.ts'
import { rulesFor } from '../requests/keyed-routes.ts'
import type { Identity } from '../identity/identity.ts'
import type { RouteTable } from '../route-table.ts'
import type { Services } from '../services.ts'
import { matches } from './cache-rules.ts'
import type { CachedAnswers } from './cached-routes.ts'
import { HEADERS_OF_BODY, inOrder } from './header-order.ts'
import type { OutgoingBytes } from './outgoing-bytes.ts'

type Parts = Pick<Services, 'sharedCache'> & {
  readonly gate: Gate
  readonly table: Pick<RouteTable, 'rulesOf'>
  readonly cached: CachedAnswers
  readonly answers: OutgoingBytes
  readonly storeCacheBody: StoreCacheBody
  readonly isClosing: () => boolean
}

/** An answer, ready to be sent. */
type Prepared = {
  readonly route: string
  readonly status: number
  readonly type: Readonly<Record<string, string>>
  readonly tag: string | undefined
  /** A text has ASCII alone. Node writes it in one piece with the headers. */
  readonly bytes: Uint8Array | string
  readonly startedAt: number
}

const NO_TYPE = {}
const NO_BYTES = new Uint8Array()
const NOT_FOUND = JSON.stringify({ error: notFound(NO_CACHE_ENTRY).message })

/** Bodies of the shared cache, and the route that returns them. */
const CACHE_BODY = /^\/api\/v1\/cache\/(sha256:[0-9a-f]{64})$/
const CACHE_ROUTE = '/api/v1/cache/:key'

/**
 * Answers GET and HEAD from memory, and GET and PUT of cache bodies, before the app receives the request: routing
 * and hooks cost several times as much as such an answer. If there is none, or if the gate does not admit the request, the app answers it, and
 * gives the reason of a rejection. Call this before any other request listener is added, because it replaces the
 * listener of the app.
 */
export const answerCachedFirst = (
  server: Server,
  { gate, table, cached, answers, sharedCache, storeCacheBody, isClosing }: Parts,
): void => {
  const [app, ...others] = server.listeners('request') as RequestListener[]
  if (!app || others.length > 0) throw new Error('the fast path must be added while the app is the only listener')

  const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', url = '', headers } = request
    if (isClosing()) return false
    if (method === 'PUT') return store(request, response)
    if (method !== 'GET' && method !== 'HEAD') return false
    const identity = gate.identify(request)
    if (identity instanceof Promise) return false
    const cacheKey = CACHE_BODY.exec(url)?.[1]
    const body = cacheKey === undefined ? undefined : sharedCache.hot(cacheKey)
    const entry = body ? { ...body, route: CACHE_ROUTE, headers: BODY_HEADERS } : cached.find(url, identity)
    if (!entry) return cacheKey !== undefined && method === 'GET' && lookUp(request, response, identity, cacheKey)
    const { route, etag, bytes, headers: type = JSON_HEADERS } = entry
    const rules = table.rulesOf(route, method)
    if (!rules || !gate.admits(request, identity, rulesFor(rules, url))) return false
    // For HEAD of a cache body, the app reads only the size of the body, so the app's answer has no ETag. This answer
    // then has none either.
    const tag = body && method === 'HEAD' ? undefined : etag
    const isUnchanged = tag !== undefined && matches(headers['if-none-match'], tag)
    // If the limit is exceeded, the app answers 503.
    if (!isUnchanged && method === 'GET' && !answers.admits(response, bytes.byteLength)) return false
    if (body && cacheKey !== undefined) sharedCache.noteServed(cacheKey, method)
    sendAnswer(gate, request, response, {
      route,
      status: isUnchanged ? 304 : 200,
      type,
      tag,
      bytes,
      startedAt: performance.now(),
    })
    return true
  }

  /** Answers with a body of the shared cache that is not in memory, or with 404. */
  const lookUp = (request: IncomingMessage, response: ServerResponse, identity: Identity, key: string): boolean => {
    const rules = table.rulesOf(CACHE_ROUTE, 'GET')
    if (!rules || !gate.admits(request, identity, rules)) return false
    const startedAt = performance.now()
    const answerFound = (found: HotBody | null): void => {
      if (!found) {
        sharedCache.noteMissed()
        const parts = { status: 404, type: JSON_HEADERS, tag: undefined, bytes: NOT_FOUND }
        return sendAnswer(gate, request, response, { ...parts, route: CACHE_ROUTE, startedAt })
      }
      const { etag, bytes } = found
      const isUnchanged = matches(request.headers['if-none-match'], etag)
      // If the limit is exceeded, the app answers 503.
      if (!isUnchanged && !answers.admits(response, bytes.byteLength)) return app(request, response)
      sharedCache.noteServed(key, 'GET')
      const parts = { status: isUnchanged ? 304 : 200, type: BODY_HEADERS, tag: etag, bytes }
      sendAnswer(gate, request, response, { ...parts, route: CACHE_ROUTE, startedAt })
    }
    // If the read fails, the app reads again, and reports why it failed.
    sharedCache.find(key).then(answerFound, () => app(request, response))
    return true
  }

  /** Stores a body of the shared cache. If that fails, the app says why. */
  const store = (request: IncomingMessage, response: ServerResponse): boolean => {
    const key = CACHE_BODY.exec(request.url ?? '')?.[1]
    const rules = table.rulesOf(CACHE_ROUTE, 'PUT')
    if (key === undefined || !rules) return false
    const identity = gate.identify(request)
    if (identity instanceof Promise || !gate.admits(request, identity, rules)) return false
    const startedAt = performance.now()
    storeCacheBody(request, key).then(
      (isFirst) => {
        const parts = { status: isFirst ? 201 : 200, type: NO_TYPE, tag: undefined, bytes: NO_BYTES }
        sendAnswer(gate, request, response, { ...parts, route: CACHE_ROUTE, startedAt })
      },
      () => app(request, response),
    )
    return true
  }

  server.off('request', app)
  server.on('request', (request, response) => {
    const serve = (): void => {
      // The app rejects a request that does not name one host.
      if (!namesOneHost(request) || !answer(request, response)) app(request, response)
    }
    const waiting = gate.waitUntilFresh(request)
    if (!waiting) return serve()
    // If freshness cannot be established, the app answers: it waits on the same promise and returns the 503.
    waiting.then(serve, () => app(request, response))
  })
}

const sendAnswer = (
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
  { route, status, type, tag, bytes, startedAt }: Prepared,
): void => {
  // Answered meanwhile, for example because the client was too slow.
  if (response.headersSent) return
  const { method = '', url = '' } = request
  const request_id = gate.requestIdOf(request)
  // The object is changed rather than copied, because this code runs for most requests.
  const own: Record<string, string | number | undefined> = Object.assign(
    gate.headersOf(request_id, method !== 'PUT'),
    type,
  )
  own['etag'] = tag
  own['content-length'] = bytes.length
  response.writeHead(status, status === 304 ? inOrder(own, HEADERS_OF_BODY) : inOrder(own))
  if (status === 304 || method === 'HEAD' || bytes.length === 0) response.end()
  else response.end(bytes, 'latin1')
  const record = (): void =>
    gate.recordAnswer({ method, url, route, request_id, status, milliseconds: performance.now() - startedAt })
  // Most answers are completely handed to the operating system by now. The others are recorded when they are.
  if (response.destroyed || response.socket?.writableLength === 0) record()
  else response.once('finish', record)
}
