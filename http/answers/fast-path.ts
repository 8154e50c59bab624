import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { CACHE_RULES, matches } from './cached-routes.ts'
import type { Caching } from './cached-routes.ts'
import { passes } from '../identity/identity.ts'
import type { Identify } from '../identity/identity.ts'
import type { WaitUntilFresh } from './freshness.ts'
import { HEADERS_OF_BODY, inOrder } from './header-order.ts'
import type { OutgoingBytes } from './outgoing-bytes.ts'
import type { Services } from '../services.ts'
import { BODY_HEADERS } from '../../runtime/cache/shared-cache.ts'

/** What is told of an answer once it is out. */
export type Answered = {
  readonly method: string
  readonly url: string
  readonly route: string
  readonly request_id: string
  readonly status: number
  readonly milliseconds: number
}

type Parts = Pick<Services, 'config' | 'isReady' | 'sharedCache'> & {
  readonly fresh: WaitUntilFresh
  readonly caching: Caching
  readonly answers: OutgoingBytes
  readonly identify: Identify
  readonly requestId: (request: IncomingMessage) => string
  readonly isClosing: () => boolean
  readonly onAnswered: (answered: Answered) => void
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const

/** Bodies of the shared cache, and the route that they are read from. */
const CACHE_BODY = /^\/api\/v1\/cache\/(sha256:[0-9a-f]{64})$/
const CACHE_ROUTE = { route: '/api/v1/cache/:key', scope: 'read' } as const

/**
 * Answers GETs from the cache before the app is asked: routing a request and running its hooks costs several times as
 * much as a kept answer. Whatever is not plainly a kept answer to someone who passes every gate is left to the app,
 * which then says what is wrong with it. Comes before anyone else listens for requests: it stands in for the app alone.
 */
export const answerCachedFirst = (
  server: Server,
  { fresh, caching, answers, sharedCache, config, identify, isReady, requestId, isClosing, onAnswered }: Parts,
): void => {
  const serve = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', url = '', headers } = request
    if ((method !== 'GET' && method !== 'HEAD') || isClosing()) return false
    const identity = identify(request)
    if (identity instanceof Promise) return false
    const cacheKey = CACHE_BODY.exec(url)?.[1]
    const body = cacheKey === undefined ? undefined : sharedCache.hot(cacheKey)
    const entry = body ? { ...body, ...CACHE_ROUTE } : caching.find(url, identity)
    if (!entry) return false
    const { route, scope, etag, bytes } = entry
    if (!passes(config.authMode, scope, identity) || (scope !== null && !isReady())) return false
    // For HEAD the app reads the size of a body alone, so it has no tag to give; nor is there one from memory.
    const tag = body && method === 'HEAD' ? undefined : etag
    const isHeld = tag !== undefined && matches(headers['if-none-match'], tag)
    // The app then says that there is no room for it.
    if (!isHeld && method === 'GET' && !answers.admits(response, bytes.byteLength)) return false
    if (body && cacheKey !== undefined) sharedCache.served(cacheKey, method)

    const from = performance.now()
    const request_id = requestId(request)
    const status = isHeld ? 304 : 200
    const own = {
      'x-request-id': request_id,
      ...CACHE_RULES,
      etag: tag,
      ...(body ? BODY_HEADERS : JSON_HEADERS),
      'content-length': bytes.byteLength,
    }
    response.writeHead(status, isHeld ? inOrder(own, HEADERS_OF_BODY) : inOrder(own))
    if (isHeld || method === 'HEAD') response.end()
    else response.end(bytes)
    const tell = (): void =>
      onAnswered({ method, url, route, request_id, status, milliseconds: performance.now() - from })
    // Most answers are the system's to deliver by now. The others are told when they are.
    if (response.socket?.writableLength === 0) tell()
    else response.once('finish', tell)
    return true
  }

  const [app, ...others] = server.listeners('request') as RequestListener[]
  if (!app || others.length > 0) throw new Error('only the app may listen for requests yet')
  server.off('request', app)
  server.on('request', (request, response) => {
    const answer = (): void => {
      if (!serve(request, response)) app(request, response)
    }
    const waiting = fresh(request)
    if (!waiting) return answer()
    // What cannot be told fresh is the app's to refuse: it waits for the same.
    waiting.then(answer, () => app(request, response))
  })
}
