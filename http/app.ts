import type { IncomingMessage } from 'node:http'
import fastify, { LogController } from 'fastify'
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject, validatorCompiler } from 'fastify-type-provider-zod'
import swagger from '@fastify/swagger'
import type { z } from 'zod'
import { Refused } from '../commands/refused.ts'
import type { LongReadAnswer } from '../queries/long-reads.ts'
import type { Scope, Viewer } from '../queries/access/viewer.ts'
import { accessRoutes } from './routes/access.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { authRoutes } from './routes/auth.ts'
import { auditRoutes } from './routes/audit.ts'
import { baselineRoutes } from './routes/baselines.ts'
import { receiveFields } from './requests/body.ts'
import { cacheRoutes } from './routes/cache.ts'
import { CACHE_RULES, cachedRoutes, isRead } from './answers/cached-routes.ts'
import type { Cached } from './answers/cached-routes.ts'
import { clientAddress, trustedProxies } from './identity/client-address.ts'
import { closeInOrder } from './connections/closing.ts'
import { CHECK_MS, connectionsOf } from './connections/connections.ts'
import { caseRoutes } from './routes/cases.ts'
import { accountCredentials } from './identity/credentials.ts'
import { CROSS_ORIGIN, isCrossOrigin } from './identity/cross-origin.ts'
import { answerError, checkQuery, ErrorBody, sendError, Starting } from './errors.ts'
import { checkScope, identifying, requiredScope, staticTokens, UNRESOLVED, viewerOf } from './identity/identity.ts'
import type { Identity } from './identity/identity.ts'
import { freshness } from './answers/freshness.ts'
import { orderHeaders } from './answers/header-order.ts'
import { answerCachedFirst } from './answers/fast-path.ts'
import type { Answered } from './answers/fast-path.ts'
import { metricsOf } from './metrics/metrics.ts'
import { newIds } from './identity/ids.ts'
import { countOutgoing, outgoingBytes } from './answers/outgoing-bytes.ts'
import { parseQuery } from './requests/parameters.ts'
import { projectRoutes } from './routes/projects.ts'
import { isOfApi, pathOf, routedPathOf } from './requests/request-path.ts'
import { routeTable } from './route-table.ts'
import { retentionRoutes } from './routes/retention.ts'
import { runRoutes } from './routes/runs.ts'
import { searchRoutes } from './routes/search.ts'
import type { Services } from './services.ts'
import { setRoutes } from './routes/sets.ts'
import { systemRoutes } from './routes/system.ts'
import { userRoutes } from './routes/users.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least scope in closed mode; null is open to everyone. A route that says nothing does not start. */
    scope?: Scope | null
    /** Any credential will do, yet one is needed, whatever the mode. */
    authenticated?: true
    /**
     * Which requests another site's page may not cause. Those whose credential is a cookie, unless this says otherwise;
     * `refused`: those without a credential in a header, for routes that set a cookie; `allowed`: none, for a route
     * that another site is meant to post to.
     */
    crossOrigin?: 'by-cookie' | 'refused' | 'allowed'
    /** Open to everyone, yet answered from the store. */
    stored?: true
    /** `fields`: a small JSON body, parsed and checked against the schema. Without it a body is not read. */
    body?: 'fields'
    /** The most bytes of that body; where a route does not say, the bound of `receiveFields`. */
    bodyBytes?: number
    /** The body of a route that reads it by itself, for the API's document alone. */
    document?: z.ZodType
    /**
     * The answers are kept until what they are made of changes. Their handler gives its result back and touches nothing
     * else of the reply.
     */
    cached?: Cached
    /** Served outside the API, without its cache rules. */
    page?: boolean
  }
  interface FastifyRequest {
    viewer: Viewer
    contentType: string | undefined
    /** Aborted when nobody waits for the answer of a cached route any more. */
    gone: AbortSignal
  }
  interface FastifyReply {
    /** The answer of a cached route that is text already. */
    finished: string | LongReadAnswer | undefined
  }
}

/** Longest path part; find-my-way's own default of 100 would refuse long suite names. */
const MAX_PARAM_LENGTH = 16_384

const NO_ROUTE: FastifyContextConfig = {}

/** The whole HTTP surface over the services passed in. Not listening yet. */
export const buildApp = async (services: Services): Promise<FastifyInstance> => {
  const { config, logger } = services
  const mint = newIds()
  const proxies = trustedProxies(config.trustedProxies)
  const accounts = accountCredentials(services)
  const identify = identifying({
    inHeader: [staticTokens(config.tokens), accounts.key, accounts.session],
    inCookie: accounts.session,
  })
  const fresh = freshness(services)
  const requestId = ({ headers: { 'x-request-id': given } }: IncomingMessage): string =>
    (typeof given === 'string' ? given : given?.[0]) || mint()

  // Typed as fastify's own, or the app's type would carry pino's.
  const loggerInstance: FastifyBaseLogger = logger

  const app: FastifyInstance = fastify({
    loggerInstance,
    // One event per request, written below, is the log.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    // While closing, what still comes on a live connection is answered as ever and ends it; fastify's own 503 would not
    // be in our shape.
    return503OnClosing: false,
    genReqId: requestId,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: parseQuery },
    // A slow client must not hold a connection for ever: headers within 20 s, a whole request within 5 minutes.
    requestTimeout: 300_000,
    keepAliveTimeout: 72_000,
    // A missing Host is no reason to answer without a body of ours: links then name localhost.
    http: { headersTimeout: 20_000, connectionsCheckingInterval: CHECK_MS, requireHostHeader: false },
    // A request may name its target in full (RFC 9112, 3.2.2): from here on only the path counts.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]*\/?/i, '/'),
    // A path that cannot be decoded never reaches the hooks, so what they do is done here, in their order.
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id)
      if (isOfApi(request) && isRead(request)) void reply.headers(CACHE_RULES)
      logResponseOf(request, reply)
      void refusePath(error, request, reply).catch((refused: Error) => answerError(refused, request, reply))
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable || connections.isAnswered(socket))
        return void socket.destroy()
      const [status, reason] = CLIENT_ERRORS[error.code] ?? ['400 Bad Request', 'the request is not valid HTTP']
      const body = JSON.stringify({ error: reason })
      socket.end(
        `HTTP/1.1 ${status}\r\nx-request-id: ${mint()}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      )
      // Only ended, a client that goes on dribbling would keep the connection and what it holds.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroySoon()
      else connections.endInOrder(socket)
    },
  })
  const refusePath = async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    await fresh(request.raw)
    const identity = await identify(request.raw)
    refuseCrossOrigin(request, identity, NO_ROUTE)
    const scope = table.scopeOf(routedPathOf(request), request.method)
    if (scope === undefined && isOfApi(request)) return answerNoRoute(request, reply)
    enterRoute(scope ?? null, NO_ROUTE, identity)
    throw new Refused(
      'bad_request',
      error.code === 'FST_ERR_MAX_PARAM_LENGTH'
        ? 'a path part is too long'
        : 'the path is not valid percent-encoded UTF-8',
    )
  }
  const logResponseOf = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.raw.once('finish', () => logResponse(request, reply))
  }
  const logResponse = (
    request: FastifyRequest,
    { statusCode: status, elapsedTime: milliseconds }: FastifyReply,
  ): void => logAnswer({ method: request.method, url: request.url, request_id: request.id, status, milliseconds })
  const logAnswer = ({ method, url, request_id, status, milliseconds }: Omit<Answered, 'route'>): void =>
    logger.info(
      { method, path: pathOf({ url }), request_id, status, latency_ms: Math.round(milliseconds * 1000) / 1000 },
      'response',
    )

  app.setValidatorCompiler(validatorCompiler)
  // Schemas of responses are for the document; what they promise is checked in the specs, not on every answer.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))
  app.setErrorHandler(answerError)

  // Bodies are read by the routes that take one, and by nobody else.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))

  app.server.on('checkExpectation', ({ method, url = '/' }, response) => {
    const request_id = mint()
    const body = JSON.stringify({ error: 'the expectation cannot be met: only 100-continue is known' })
    response
      .writeHead(417, {
        'x-request-id': request_id,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
    logger.info({ method, path: url.split('?', 1)[0], request_id, status: 417, latency_ms: 0 }, 'response')
  })

  const table = routeTable(app, services.web)
  const metrics = metricsOf(app, services)

  app.decorateRequest('viewer')
  app.decorateRequest('contentType')
  /** What a browser was made to send by another site goes no further. Refuses: forbidden. */
  const refuseCrossOrigin = (
    { method, headers }: FastifyRequest,
    { by_cookie }: Identity,
    { crossOrigin = 'by-cookie' }: FastifyContextConfig,
  ): void => {
    // A credential in a header was put there by who knows it, whichever page it was.
    const isGuarded =
      crossOrigin === 'refused' ? headers.authorization === undefined : crossOrigin === 'by-cookie' && by_cookie
    const { origin, referer, host, 'sec-fetch-site': given } = headers
    const site = [given].flat()[0]
    if (isGuarded && isCrossOrigin({ method, site, origin, referer, host, publicUrl: config.publicUrl }))
      throw new Refused('forbidden', CROSS_ORIGIN)
  }
  /** The scope gate, and the store behind it. Refuses: unauthenticated, forbidden. */
  const enterRoute = (
    scope: Scope | null,
    { authenticated, stored }: Pick<FastifyContextConfig, 'authenticated' | 'stored'>,
    identity: Identity,
  ): void => {
    const isReady = services.isReady()
    // Who cannot be told from nobody yet is not refused for it.
    if (isReady || identity !== UNRESOLVED) checkScope(config.authMode, scope, identity, authenticated)
    if ((scope !== null || stored) && !isReady) throw new Starting()
  }
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
    await fresh(request.raw)
    const identity = await identify(request.raw)
    const isRouted = !request.is404 && table.takes(request.routeOptions.url, routedPathOf(request))
    const route = isRouted ? request.routeOptions.config : NO_ROUTE
    refuseCrossOrigin(request, identity, route)
    const scope = route.scope ?? null
    const address = clientAddress(proxies, request.socket.remoteAddress, request.headers['x-forwarded-for'])
    request.viewer = viewerOf(request, identity, { address, needed: requiredScope(config.authMode, scope), mint })
    // At once: what fastify asks of some methods' bodies before its own answer is of no matter here.
    if (!isRouted) return answerUnrouted(request, reply)
    // An empty path part matches a parameter, but names nothing.
    if (Object.values(request.params as Record<string, string>).includes('')) return reply.callNotFound()
    enterRoute(scope, route, identity)
  })
  app.addHook('onRequest', async (request) => {
    // Kept from fastify, which would answer 415 to a type that is none, even where no body is read.
    request.contentType = request.headers['content-type']
    delete request.raw.headers['content-type']
  })
  app.addHook('preValidation', async (request) => {
    const { body, bodyBytes } = request.routeOptions.config
    if (body !== 'fields') return
    // Fastify looks at the body before the query; here a body is read only where the query is right.
    checkQuery(request)
    request.body = await receiveFields(request, bodyBytes)
  })
  const caching = cachedRoutes(app, services)
  const { answers = outgoingBytes() } = services
  countOutgoing(app, answers)
  app.addHook('onResponse', async (request, reply) => logResponse(request, reply))

  answerCachedFirst(app.server, {
    fresh,
    caching,
    answers,
    sharedCache: services.sharedCache,
    config,
    identify,
    isReady: services.isReady,
    requestId,
    isClosing: () => isClosing(),
    onAnswered: (answered) => {
      logAnswer(answered)
      metrics.observe(answered.method, answered.route, answered.status, answered.milliseconds / 1000)
    },
  })
  const connections = connectionsOf(app.server)
  const isClosing = closeInOrder(app, connections, logger)
  // Last of all, but for the length, which fastify adds at the end.
  app.addHook('onSend', (_request, reply, payload, done) => {
    orderHeaders(reply)
    done(null, payload)
  })

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Evaluation Results Service',
        version: config.version,
        description: 'Stores, lists, compares and searches the results of LLM-evaluation runs.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: 'service_session' },
        },
      },
      security: [{ bearer: [] }, { session: [] }, {}],
    },
    transform: (document) => jsonSchemaTransform({ ...document, schema: withErrors(document) }),
    transformObject: jsonSchemaTransformObject,
  })

  const api: FastifyPluginAsync = async (scoped) => {
    const all = {
      runRoutes,
      caseRoutes,
      searchRoutes,
      projectRoutes,
      setRoutes,
      accessRoutes,
      auditRoutes,
      baselineRoutes,
      cacheRoutes,
      authRoutes,
      apiKeyRoutes,
      userRoutes,
      retentionRoutes,
    }
    for (const [name, routes] of Object.entries(all)) await scoped.register(called(name, routes(services)))
  }
  await app.register(called('systemRoutes', systemRoutes(services, metrics)))
  await app.register(called('api', api), { prefix: '/api/v1' })

  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    isOfApi(request) ? answerNoRoute(request, reply) : table.answerElsewhere(request, reply, routedPathOf(request))
  app.setNotFoundHandler(answerUnrouted)
  const answerNoRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = table.allowed(routedPathOf(request))
    if (allowed.length > 0)
      return sendError(reply.header('allow', allowed.join(', ')), 405, `method ${request.method} is not allowed here`)
    return sendError(reply, 404, 'route not found')
  }
  return app
}

/**
 * A plugin with its name: without one, fastify looks through every loaded module for it, a sixth of the time that
 * building the app takes.
 */
const called = (name: string, plugin: FastifyPluginAsync): FastifyPluginAsync =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })

type Documented = Parameters<typeof jsonSchemaTransform>[0]

/** What every route may answer besides what it says itself. */
const withErrors = ({ schema, route }: Documented): Documented['schema'] => {
  const gated = route.config?.scope ? { 401: ErrorBody, 403: ErrorBody } : {}
  const body = route.config?.document ? { body: route.config.document } : {}
  return {
    ...schema,
    ...body,
    response: { 400: ErrorBody, ...gated, default: ErrorBody, ...(schema.response as object | undefined) },
  }
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the request line or headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long'],
}
