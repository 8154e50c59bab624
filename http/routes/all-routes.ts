import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Gate } from '../identity/gate.ts'
import type { CountedPartBytes } from '../counted-part-bytes.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { StoreCacheBody } from '../requests/cache-bodies.ts'
import type { Services } from '../services.ts'
import type { EventStreams } from '../streams/event-streams.ts'
import { accessRoutes } from './access/index.ts'
import { annotationRoutes } from './annotations/index.ts'
import { apiKeyRoutes } from './api-keys/index.ts'
import { auditRoutes } from './audit/index.ts'
import { authRoutes } from './auth/index.ts'
import { baselineRoutes } from './baselines/index.ts'
import { cacheRoutes } from './cache/index.ts'
import { caseRoutes } from './cases/index.ts'
import { commentRoutes } from './comments/index.ts'
import { byteBudget } from '../requests/byte-budget.ts'
import { eraseRecordsRoute } from './erasures/erase-records.ts'
import { evidenceRoutes } from './evidence/index.ts'
import { transcriptRoutes } from './transcripts/index.ts'
import { openOutlines } from '../../runtime/outlines/outlines.ts'
import { streamEventsRoute } from './events/stream-events.ts'
import { holdRoutes } from './holds/index.ts'
import { logRoutes } from './log/index.ts'
import { planRoutes } from './plans/index.ts'
import { projectRoutes } from './projects/index.ts'
import { reviewRoutes } from './reviews/index.ts'
import { rubricRoutes } from './rubrics/index.ts'
import { runRoutes } from './runs/index.ts'
import { sampleRoutes } from './samples/index.ts'
import { searchRoutes } from './search/index.ts'
import { setRoutes } from './sets/index.ts'
import { statisticsRoutes } from './statistics/index.ts'
import { suiteRoutes } from './suites/index.ts'
import { applyRetentionRoute } from './system/apply-retention.ts'
import { getMetricsRoute } from './system/get-metrics.ts'
import { getServerRoute } from './system/get-server.ts'
import { systemRoutes } from './system/index.ts'
import { linkRoutes } from './links/index.ts'
import { userRoutes } from './users/index.ts'
import { listAllApiKeysRoute } from './users/list-all-api-keys.ts'
import { viewRoutes } from './views/index.ts'
import { webhookRoutes } from './webhooks/index.ts'

/** Maximum bytes of all uploads that are being received or wait for their commit. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024

type Parts = {
  readonly metrics: Metrics
  readonly gate: Gate
  readonly streams: EventStreams
  readonly storeCacheBody: StoreCacheBody
  readonly partBytes: () => Promise<CountedPartBytes>
}

/** Adds all routes, in the order of the API's document. */
export const registerRoutes = async (
  app: FastifyInstance,
  services: Services,
  { metrics, gate, streams, storeCacheBody, partBytes }: Parts,
): Promise<void> => {
  acceptNoParameters(app)
  const { receivedBytes = MAX_WAITING_BYTES } = services.config
  const uploads = byteBudget(receivedBytes)
  // Parts may wait for a bucket: that leaves room for uploads that do not.
  const parts = services.partStore.bucket
    ? byteBudget(receivedBytes / 2, 'too many parts are waiting', uploads)
    : uploads
  const outlines = openOutlines(services)
  const api: FastifyPluginAsyncZod = async (scoped) => {
    const routes = [
      runRoutes(uploads),
      sampleRoutes,
      annotationRoutes,
      commentRoutes,
      statisticsRoutes,
      caseRoutes,
      evidenceRoutes(parts),
      transcriptRoutes(outlines),
      searchRoutes,
      projectRoutes,
      setRoutes,
      suiteRoutes,
      planRoutes,
      rubricRoutes,
      reviewRoutes,
      accessRoutes,
      auditRoutes,
      logRoutes,
      baselineRoutes,
      cacheRoutes(storeCacheBody),
      await authRoutes(scoped, services),
      viewRoutes,
      webhookRoutes,
      apiKeyRoutes,
      userRoutes,
      linkRoutes,
      applyRetentionRoute,
      getServerRoute(partBytes),
      listAllApiKeysRoute,
      eraseRecordsRoute,
      holdRoutes,
      streamEventsRoute(streams, gate),
    ].flat()
    for (const add of routes) add(scoped, services)
  }
  const outsideApi: FastifyPluginAsyncZod = async (scoped) => {
    const { mcp } = services.config
    // Loaded on demand: few services have it, and it loads the schemas of all tools.
    const agents = mcp ? (await import('./mcp/index.ts')).mcpRoutes(services, gate, mcp, outlines) : []
    for (const add of [...agents, ...systemRoutes, getMetricsRoute(metrics)]) add(scoped, services)
  }
  await app.register(withName('outsideApi', outsideApi))
  await app.register(withName('api', api), { prefix: '/api/v1' })
}

/** Lets a route without a schema of its query accept no parameters. */
const acceptNoParameters = (app: FastifyInstance): void => {
  const none = z.strictObject({})
  app.addHook('onRoute', (route) => {
    route.schema = { querystring: none, ...route.schema }
  })
}

/**
 * Gives a plugin a name. Without one, Fastify searches every loaded module for it, which takes a sixth of the time to
 * build the app.
 */
const withName = (name: string, plugin: FastifyPluginAsync): FastifyPluginAsync =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })
