import { Counter, Gauge, type Registry } from 'prom-client'
import { countDeliveries } from '../../queries/webhooks/deliveries.ts'
import type { SentCounts } from '../../runtime/webhooks/sent-counts.ts'
import type { Services } from '../services.ts'

const RESULTS = ['delivered', 'failed', 'dropped'] as const satisfies ReadonlyArray<keyof SentCounts>

/** Adds the metrics of webhooks, if this service can send any. */
export const addWebhookMetrics = (
  registry: Registry,
  { webhooks, reader }: Pick<Services, 'webhooks' | 'reader'>,
): void => {
  if (!webhooks) return
  new Counter({
    name: 'ers_webhook_tries_total',
    help: 'Tries of this process to send a message of a webhook, by result; dropped ones were not allowed any more.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      const counts = webhooks.counts()
      this.reset()
      for (const result of RESULTS) this.inc({ result }, counts[result])
    },
  })
  new Gauge({
    name: 'ers_webhook_deliveries',
    help: 'Messages of webhooks that wait for their next try, and those that were given up, as long as they are listed.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { waiting, parked } = await reader.read(countDeliveries)
      this.set({ state: 'waiting' }, waiting)
      this.set({ state: 'parked' }, parked)
    },
  })
}
