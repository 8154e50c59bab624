import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'
import type { Gate } from '../identity/gate.ts'
import type { Services } from '../services.ts'
import type { EventStreams } from '../streams/event-streams.ts'
import { accessRoutes } from './access.ts'
import { sessionRoutes } from './account/sessions.ts'
import { viewRoutes } from './account/views.ts'
import { webhookRoutes } from './account/webhooks.ts'
import { allKeyRoutes } from './admin/all-keys.ts'
import { erasureRoutes } from './admin/erasures.ts'
import { holdRoutes } from './admin/holds.ts'
import { serverRoutes } from './admin/server.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { auditRoutes } from './audit.ts'
import { authRoutes } from './auth.ts'
import { baselineRoutes } from './baselines.ts'
import { cacheRoutes } from './cache.ts'
import { caseRoutes } from './cases.ts'
import { exportRoutes } from './interchange/export.ts'
import { checkpointRoutes } from './log/checkpoints.ts'
import { proofRoutes } from './log/proofs.ts'
import { receiptRoutes } from './log/receipts.ts'
import { tileRoutes } from './log/tiles.ts'
import { eventRoutes } from '../streams/event-routes.ts'
import { importRoutes } from './interchange/import.ts'
import { projectRoutes } from './projects.ts'
import { retentionRoutes } from './retention.ts'
import { runRoutes } from './runs.ts'
import { searchRoutes } from './search.ts'
import { setRoutes } from './sets.ts'
import { badgeRoutes } from './suites/badge.ts'
import { overviewRoutes } from './suites/overview.ts'
import { planRoutes } from './suites/plans.ts'
import { comparedPairRoutes } from './statistics/compared-pair.ts'
import { matrixRowsRoutes } from './statistics/matrix-rows.ts'
import { comparingRoutes } from './statistics/comparing.ts'
import { statisticsRoutes } from './statistics/statistics.ts'
import { suiteRoutes } from './suites/suites.ts'
import { systemRoutes } from './system.ts'
import { userRoutes } from './users.ts'

/** Routes below `/api/v1`. */
const API_ROUTES = {
  runRoutes,
  importRoutes,
  exportRoutes,
  statisticsRoutes,
  comparedPairRoutes,
  matrixRowsRoutes,
  comparingRoutes,
  caseRoutes,
  searchRoutes,
  projectRoutes,
  setRoutes,
  suiteRoutes,
  badgeRoutes,
  overviewRoutes,
  planRoutes,
  accessRoutes,
  auditRoutes,
  checkpointRoutes,
  tileRoutes,
  proofRoutes,
  receiptRoutes,
  baselineRoutes,
  cacheRoutes,
  authRoutes,
  sessionRoutes,
  viewRoutes,
  webhookRoutes,
  apiKeyRoutes,
  userRoutes,
  retentionRoutes,
  serverRoutes,
  allKeyRoutes,
  erasureRoutes,
  holdRoutes,
}

type Parts = { readonly metrics: Metrics; readonly gate: Gate; readonly streams: EventStreams }

export const registerRoutes = async (
  app: FastifyInstance,
  services: Services,
  { metrics, gate, streams }: Parts,
): Promise<void> => {
  const api: FastifyPluginAsync = async (scoped) => {
    for (const [name, routes] of Object.entries(API_ROUTES)) await scoped.register(withName(name, routes(services)))
    await scoped.register(withName('eventRoutes', eventRoutes(streams, gate)))
  }
  if (services.config.mcp) {
    // Loaded on demand: few services have it, and it loads the schemas of all tools.
    const { mcpRoutes } = await import('../mcp/mcp-routes.ts')
    await app.register(withName('mcpRoutes', mcpRoutes(services, gate, services.config.mcp)))
  }
  await app.register(withName('systemRoutes', systemRoutes(services, metrics)))
  await app.register(withName('api', api), { prefix: '/api/v1' })
}

/**
 * Gives a plugin a name. Without one, Fastify searches every loaded module for it, which takes a sixth of the time to
 * build the app.
 */
const withName = (name: string, plugin: FastifyPluginAsync): FastifyPluginAsync =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })
