import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { objectTimes } from '../../runtime/evidence/object-times.ts'
import type { CountedPartBytes } from '../counted-part-bytes.ts'
import { addBucketMetrics } from './bucket-metrics.ts'
import { addCheckpointMetrics } from './checkpoint-metrics.ts'
import { requestTimes } from './request-times.ts'
import { addWebhookMetrics } from './webhook-metrics.ts'
import type { Services } from '../services.ts'

export type Metrics = {
  readonly contentType: string
  readonly text: () => Promise<string>
  /** Counts a request: method, pattern of its route, status, seconds. */
  readonly observe: (method: string, route: string, status: number, seconds: number) => void
}

/** Prometheus metrics of one app: requests by route and status, the size of the log, checkpoints, webhooks, the process. */
export const openMetrics = (
  services: Pick<Services, 'position' | 'signer' | 'now' | 'webhooks' | 'reader' | 'partStore'>,
  partBytes: () => Promise<CountedPartBytes>,
  openStreams: () => number = () => 0,
): Metrics => {
  const { position } = services
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
  addCheckpointMetrics(registry, services)
  addWebhookMetrics(registry, services)
  addBucketMetrics(registry, services, partBytes)
  const { bucket } = services.partStore
  return {
    contentType: registry.contentType,
    observe: requests.observe,
    text: async () => `${requests.text()}\n${bucket ? objectTimes(bucket.health) : ''}${await registry.metrics()}`,
  }
}
