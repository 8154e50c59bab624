import fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { cachedRoutes } from './answers/cached-routes.ts'
import { answerCachedFirst } from './answers/fast-path.ts'
import { orderHeaders } from './answers/header-order.ts'
import { countOutgoing, outgoingBytes } from './answers/outgoing-bytes.ts'
import { closeInOrder } from './connections/closing.ts'
import { CHECK_MS, trackConnections } from './connections/connections.ts'
import { answerClientError, rejectExpectation } from './connections/raw-errors.ts'
import { answerError } from './errors.ts'
import { openGate } from './identity/gate.ts'
import { answerMalformedPath, gateRoutes } from './identity/gated-routes.ts'
import { newIds } from './identity/ids.ts'
import { accessLog, answerRecorder } from './metrics/access-log.ts'
import { openMetrics } from './metrics/metrics.ts'
import { documentApi } from './openapi.ts'
import { readFieldBodies } from './requests/body.ts'
import { parseQuery } from './requests/parameters.ts'
import { routeTable } from './route-table.ts'
import { registerRoutes } from './routes/all-routes.ts'
import type { Services } from './services.ts'

/** Longest path part; find-my-way's own default of 100 would reject long suite names. */
const MAX_PARAM_LENGTH = 16_384

/** Builds the whole HTTP surface over the services. It does not listen yet. Hooks run in the order of the parts here. */
export const buildApp = async (services: Services): Promise<FastifyInstance> => {
  const { config, logger } = services
  const mint = newIds()
  const writeAccess = accessLog(logger)
  const metrics = openMetrics(services)
  const gate = openGate(services, { mint, recordAnswer: answerRecorder(writeAccess, metrics) })
  // Typed as Fastify's own, or the app's type would carry pino's.
  const loggerInstance: FastifyBaseLogger = logger

  const app: FastifyInstance = fastify({
    loggerInstance,
    // The access log is the one event per request.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    // While the app closes, a request on a live connection is answered as usual and ends it. Fastify's own 503 would
    // not have the shape of our errors.
    return503OnClosing: false,
    genReqId: gate.requestIdOf,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: parseQuery },
    // A slow client must not hold a connection for ever: headers within 20 s, a whole request within 5 minutes.
    requestTimeout: 300_000,
    keepAliveTimeout: 72_000,
    // Node would answer a request without a Host without a body. We accept it: links then name localhost.
    http: { headersTimeout: 20_000, connectionsCheckingInterval: CHECK_MS, requireHostHeader: false },
    // A request may name its target in full (RFC 9112, 3.2.2): from here on only the path counts.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]*\/?/i, '/'),
    frameworkErrors: (error, request, reply) =>
      answerMalformedPath(error, request, reply, { gate, table, writeAccess }),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, { connections, mint }),
  })
  app.setValidatorCompiler(validatorCompiler)
  // The schemas of responses are for the document. Specs check what they promise, not every answer.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))
  app.setErrorHandler(answerError)
  app.server.on('checkExpectation', rejectExpectation({ mint, writeAccess }))

  const table = routeTable(app, services.web)
  gateRoutes(app, { gate, table, config, mint })
  readFieldBodies(app)
  const cached = cachedRoutes(app, services)
  const { answers = outgoingBytes() } = services
  countOutgoing(app, answers)
  answerCachedFirst(app.server, {
    gate,
    table,
    cached,
    answers,
    sharedCache: services.sharedCache,
    isClosing: () => isClosing(),
  })
  const connections = trackConnections(app.server)
  const isClosing = closeInOrder(app, connections, logger)
  // The last hook that may add a header, but for the length, which Fastify adds at the end.
  app.addHook('onSend', (_request, reply, payload, done) => {
    orderHeaders(reply)
    done(null, payload)
  })

  await documentApi(app, config.version)
  await registerRoutes(app, services, metrics)
  app.setNotFoundHandler(table.answerUnrouted)
  return app
}
