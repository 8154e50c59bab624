import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { requestTimes } from './request-times.ts'
import type { Services } from '../services.ts'

export type Metrics = {
  readonly contentType: string
  readonly text: () => Promise<string>
  /** Counts a request that the app itself was not asked: method, pattern of its route, status, seconds. */
  readonly observe: (method: string, route: string, status: number, seconds: number) => void
}

/** Prometheus metrics of one app: requests by route and status, the size of the log, the process itself. */
export const metricsOf = (app: FastifyInstance, { position }: Pick<Services, 'position'>): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = requestTimes()
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
    requests.observe(request.method, request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1000)
  })
  return {
    contentType: registry.contentType,
    observe: requests.observe,
    text: async () => `${requests.text()}\n${await registry.metrics()}`,
  }
}
