import fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { cachedRoutes } from './answers/cached-routes.ts'
import { answerCachedFirst } from './answers/fast-path.ts'
import { orderHeaders } from './answers/header-order.ts'
import { countOutgoing, outgoingBytes } from './answers/outgoing-bytes.ts'
import { viewerClasses } from './answers/viewer-classes.ts'
import { closeInOrder } from './connections/closing.ts'
import { CHECK_MS, trackConnections } from './connections/connections.ts'
import { answerClientError, rejectExpectation } from './connections/raw-errors.ts'
import { answerError } from './answer-error.ts'
import { openGate } from './identity/gate.ts'
import { gateRoutes } from './identity/gated-routes.ts'
import { newIds } from './identity/ids.ts'
import { accessLog, answerRecorder, recordAnswers } from './metrics/access-log.ts'
import { countedPartBytes } from './counted-part-bytes.ts'
import { openMetrics } from './metrics/metrics.ts'
import { documentApi } from './openapi/document.ts'
import { storeCacheBodies } from './requests/cache-bodies.ts'
import { readFieldBodies } from './requests/field-bodies.ts'
import { answerMalformedPath } from './requests/malformed-path.ts'
import { parseQuery } from './requests/shared-parameters.ts'
import { routeTable } from './route-table.ts'
import { registerRoutes } from './routes/all-routes.ts'
import type { Services } from './services.ts'
import { eventStreams } from './streams/event-streams.ts'

/** Maximum length of a path part. The default of find-my-way (100) would reject long suite names. */
const MAX_PARAM_LENGTH = 16_384

/**
 * Builds the HTTP app, with all its routes. It does not listen yet. The order of the calls below matters: hooks run in
 * the order in which they are added.
 */
export const buildApp = async (services: Services): Promise<FastifyInstance> => {
  const { config, logger } = services
  const mint = newIds()
  const writeAccess = accessLog(logger, config.quietRequests === true ? 'debug' : 'info')
  const partBytes = countedPartBytes(services)
  const metrics = openMetrics(services, partBytes, () => streams.size())
  const gate = openGate(services, { mint, recordAnswer: answerRecorder(writeAccess, metrics) })
  // Declared with Fastify's logger type. Otherwise the type of the app would include the type of pino.
  const loggerInstance: FastifyBaseLogger = logger

  const app: FastifyInstance = fastify({
    loggerInstance,
    // The access log already writes one event for each request.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    // A route may fetch what it needs before the app is ready; the fetch has a limit of its own.
    pluginTimeout: 60_000,
    // While the app closes, a request on an open connection is answered as usual, and then the connection is closed.
    // Fastify's own 503 would not have the shape of our errors.
    return503OnClosing: false,
    genReqId: gate.requestIdOf,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: parseQuery },
    // A slow client must not hold a connection for ever: headers within 20 s, a whole request within 5 minutes.
    requestTimeout: 300_000,
    keepAliveTimeout: 72_000,
    // Node would reject a request that has no Host header with an answer that has no body. The gate rejects it.
    http: { headersTimeout: 20_000, connectionsCheckingInterval: CHECK_MS, requireHostHeader: false },
    // The target of a request may be a full URL (RFC 9112, 3.2.2). The scheme and the host are removed here.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]*\/?/i, '/'),
    frameworkErrors: (error, request, reply) =>
      answerMalformedPath(error, request, reply, { gate, table, writeAccess }),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, { connections, mint }),
  })
  app.setValidatorCompiler(validatorCompiler)
  // The schemas of responses are only for the OpenAPI document. The specs check that responses match them; the service
  // does not check its answers.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))
  app.setErrorHandler(answerError)
  app.server.on('checkExpectation', rejectExpectation({ mint, writeAccess }))

  const table = routeTable(app, services.web, services.docs)
  gateRoutes(app, { gate, table, config, mint })
  recordAnswers(app, gate.recordAnswer)
  readFieldBodies(app)
  const classes = viewerClasses(services)
  const cached = cachedRoutes(app, { ...services, classes })
  const streams = eventStreams({ ...services, gate, classes })
  const { answers = outgoingBytes() } = services
  countOutgoing(app, answers)
  const storeCacheBody = storeCacheBodies(services)
  answerCachedFirst(app.server, {
    gate,
    table,
    cached,
    answers,
    sharedCache: services.sharedCache,
    storeCacheBody,
    isClosing: () => isClosing(),
  })
  const connections = trackConnections(app.server)
  const isClosing = closeInOrder(app, { connections, streams }, logger)
  // This hook must be the last one: no header may be added after it. Only Fastify itself adds the length at the end.
  app.addHook('onSend', (_request, reply, payload, done) => {
    orderHeaders(reply)
    done(null, payload)
  })

  await documentApi(app, config.version)
  await registerRoutes(app, services, { metrics, gate, streams, storeCacheBody, partBytes })
  app.setNotFoundHandler(table.answerUnrouted)
  return app
}
