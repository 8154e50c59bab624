import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Services } from './services.ts'

export type Metrics = {
  readonly contentType: string
  readonly text: () => Promise<string>
}

/** Prometheus metrics of one app: requests by route and status, the size of the log, the process itself. */
export const metricsOf = (app: FastifyInstance, { position }: Services): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'service_log_position',
    help: 'Events in the log.',
    registers: [registry],
    collect() {
      this.set(position())
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern, never the path: names of runs and suites would make a series each.
    requests.observe({ method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  return { contentType: registry.contentType, text: () => registry.metrics() }
}
