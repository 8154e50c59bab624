import type { Metrics } from '../../metrics/metrics.ts'
import type { Route } from '../route.ts'

export const getMetricsRoute =
  (metrics: Metrics): Route =>
  (app) =>
    app.get('/metrics', { config: { scope: 'admin' }, schema: { hide: true } }, async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.text()),
    )
