import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { requestTimes } from './request-times.ts'
import type { Services } from '../services.ts'

export type Metrics = {
  readonly contentType: string
  readonly text: () => Promise<string>
  /** Counts a request: method, pattern of its route, status, seconds. */
  readonly observe: (method: string, route: string, status: number, seconds: number) => void
}

/** Prometheus metrics of one app: requests by route and status, the size of the log, the process. */
export const openMetrics = ({ position }: Pick<Services, 'position'>, openStreams: () => number = () => 0): Metrics => {
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
  new Gauge({
    name: 'service_event_streams',
    help: 'Open streams of events.',
    registers: [registry],
    collect() {
      this.set(openStreams())
    },
  })
  return {
    contentType: registry.contentType,
    observe: requests.observe,
    text: async () => `${requests.text()}\n${await registry.metrics()}`,
  }
}
